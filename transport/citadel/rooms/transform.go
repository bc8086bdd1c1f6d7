package rooms

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Sanitise makes the rotation of a transform one of length 1. It returns false, and leaves the transform as it is, if
// a number in it is not finite or its rotation is too short to have a direction. What a client says of its actors
// goes through it.
func Sanitise(t *wire.Transform) bool { return motion.Sanitise((*tsync.State)(t)) }
