package negative

type wallet struct{ gold, spent int64 }

//netcode:deterministic
func (w *wallet) settle(bills map[uint32]int64) {
	var sum, most int64
	for _, b := range bills {
		sum += b
		most = max(most, b)
		w.spent += b
	}
	w.gold -= sum + most
}
