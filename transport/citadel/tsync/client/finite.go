package client

// finite reports whether f is a number: neither a NaN nor an infinity minus itself is 0.
func finite(f float32) bool { return f-f == 0 }

// finite3 reports whether all of v are numbers.
func finite3(v [3]float32) bool { return finite(v[0]) && finite(v[1]) && finite(v[2]) }
