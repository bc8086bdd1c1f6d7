package negative

import "fmt"

type wrapped struct{ cause *wrapped }

func (w *wrapped) Error() string { return "wrapped" }

//netcode:deterministic
func explain(w *wrapped) string { return fmt.Sprintf("%v: %s", w, w) }
