package negative

import "math/big"

//netcode:deterministic
func factorial(n int64) *big.Int { return new(big.Int).MulRange(1, n) }
