package positive

type cell struct{ heat, next int32 }

//netcode:deterministic
func spread(cells map[int32]*cell) {
	for _, c := range cells { // want `iteration order of map cells is visible: it reads heat, which other iterations change`
		if n := cells[c.next]; n != nil {
			c.heat = n.heat / 2
		}
	}
}
