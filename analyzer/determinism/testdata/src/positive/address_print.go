package positive

import "fmt"

type node struct{ next *node }

//netcode:deterministic
func label(n *node) string {
	return fmt.Sprintf("%p", n) // want `%p prints an address`
}
