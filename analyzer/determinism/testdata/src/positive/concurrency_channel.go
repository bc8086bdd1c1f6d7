package positive

type inbox struct{ orders chan uint8 }

//netcode:deterministic
func (i *inbox) next() uint8 {
	i.orders <- 1     // want `channel send`
	return <-i.orders // want `channel receive`
}
