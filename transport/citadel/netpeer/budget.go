package netpeer

// The caps of the format. They hold whatever a schema allows.
const (
	MaxFields  = 65536   // in a schema
	MaxBytes   = 1 << 20 // length of a byte field
	MaxItems   = 65536   // in each list of a collection, and in its three lists together
	MaxBunches = 4096    // in a coalesced list
	MaxEntries = 8192    // in a table of acks or of schemas
	MaxAlloc   = 4 << 20 // the whole of a [Budget]
)

// Budget is what the bodies of one envelope may make a decoder allocate: one unit for each byte of a byte field
// and for each element of a collection, charged when the length or the count has been read and nothing behind it.
// Bunches that arrived in one coalesced list share a budget. The zero value is the whole allowance, [MaxAlloc].
type Budget struct {
	spent uint32
}

// NewBudget returns a budget of n units, or of [MaxAlloc] if n is above that. A negative n counts as zero.
func NewBudget(n int) Budget {
	return Budget{spent: MaxAlloc - uint32(min(max(n, 0), MaxAlloc))}
}

// Left returns the number of units that have not been spent.
func (b *Budget) Left() int { return int(MaxAlloc - b.spent) }

// charge spends n units, or none if there are fewer.
func (b *Budget) charge(n uint64) error {
	if n > uint64(MaxAlloc-b.spent) {
		return ErrBudget
	}
	b.spent += uint32(n)
	return nil
}
