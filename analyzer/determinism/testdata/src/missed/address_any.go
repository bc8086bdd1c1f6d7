package missed

import "fmt"

type item struct{ owner any }

//netcode:deterministic
func describe(i item) string { return fmt.Sprint(i) }

var _ = describe(item{new(int32)})
