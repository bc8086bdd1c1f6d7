package negative

import "fmt"

//netcode:deterministic
func validate(stock map[string]int32) error {
	for item, n := range stock {
		if n < 0 {
			return fmt.Errorf("item %s: %d pieces", item, n)
		}
	}
	return nil
}
