package negative

// Drawing is no part of the simulation.
func parallax(camera, depth float64) float64 { return camera*depth + 0.3 }
