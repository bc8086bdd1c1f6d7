package positive

import "math/cmplx"

//netcode:deterministic
func magnitude(z complex128) float64 {
	return cmplx.Abs(z) // want `cmplx.Abs gives different bits`
}
