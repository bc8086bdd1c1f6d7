package positive

//netcode:deterministic
func rotate(z, by complex128) complex128 {
	z *= by       // want `multiplication of complex numbers is a sum of products`
	return z / by // want `division of complex numbers is a sum of products`
}
