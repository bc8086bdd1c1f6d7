package negative

import (
	"fmt"
	"strconv"
)

type coin struct {
	Name  string
	Value int32
}

//netcode:deterministic
func describe(c *coin, same *coin) string {
	if c == same {
		return strconv.Quote(c.Name)
	}
	return fmt.Sprintf("%v %+v %d %x", *c, c, c.Value, c.Name)
}
