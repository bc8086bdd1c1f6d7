package positive

import (
	"slices"
	"strings"
)

//netcode:deterministic
func tidy(names []string) {
	slices.SortFunc(names, func(a, b string) int { // want `slices.SortFunc leaves elements that compare equal`
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
}
