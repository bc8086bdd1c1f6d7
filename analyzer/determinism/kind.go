package determinism

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// kind is a family of hazards. It becomes the category of a diagnostic.
type kind string

const (
	fused       kind = "fused"
	mathBits    kind = "math"
	floatInt    kind = "floatint"
	mapOrder    kind = "maporder"
	concurrency kind = "concurrency"
	clock       kind = "clock"
	random      kind = "random"
	seededHash  kind = "hash"
	sortTies    kind = "sort"
	address     kind = "address"
	width       kind = "width"
	environment kind = "environment"
	useless     kind = "useless" // an excuse without need
)

// kinds lists the families of hazards in the order of the documentation.
var kinds = []kind{
	fused, mathBits, floatInt, mapOrder, concurrency, clock, random, seededHash, sortTies, address, width, environment,
}

// hazard is a piece of code that is not deterministic, whether or not a simulation reaches it.
type hazard struct {
	kind     kind
	pos, end token.Pos // what to report
	at       token.Pos // where the code runs into it, if that is another place
	message  string
	fixes    []analysis.SuggestedFix

	// param is the index of the type parameter of the enclosing function that has to be a floating-point type for
	// the hazard to exist, or -1.
	param int

	origin *remoteHazard // if it is in another package
}

// place returns where the code runs into the hazard.
func (h *hazard) place() token.Pos {
	if h.at.IsValid() {
		return h.at
	}
	return h.pos
}
