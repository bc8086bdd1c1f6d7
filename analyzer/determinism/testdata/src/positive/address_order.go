package positive

import "unsafe"

//netcode:deterministic
func before(a, b *runner) bool {
	return uintptr(unsafe.Pointer(a)) < uintptr(unsafe.Pointer(b)) // want `a pointer as a number is an address` `a pointer as a number is an address`
}
