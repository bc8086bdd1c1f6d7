package negative

//netcode:deterministic
func neighbours(grid []uint8, width int, x, y uint8) (n int32) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			i := (int(y)+dy)*width + int(x) + dx
			if i >= 0 && i < len(grid) && grid[i] != 0 {
				n++
			}
		}
	}
	return n
}
