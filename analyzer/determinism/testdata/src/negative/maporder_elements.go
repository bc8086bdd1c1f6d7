package negative

type drone struct {
	x, v, fuel int32
	cells      [4]int32
}

//netcode:deterministic
func fly(drones map[uint32]*drone, wind int32) {
	for _, d := range drones {
		d.x += d.v + wind
		if d.fuel > 0 {
			d.fuel--
		}
		for i := range d.cells {
			d.cells[i] = d.fuel / 4
		}
	}
}
