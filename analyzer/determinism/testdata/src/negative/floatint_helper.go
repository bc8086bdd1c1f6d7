package negative

func clamp(x, lo, hi float64) float64 {
	if !(x >= lo) {
		return lo
	}
	return min(x, hi)
}

//netcode:deterministic
func loudness(x float64) uint8 { return uint8(clamp(x, 0, 11) + 0.5) }

//netcode:deterministic
func halves(n int, xs []int32) (int, int) { return int(float64(n) * 0.5), int(float64(len(xs)) / 3) }
