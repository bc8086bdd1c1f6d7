package journal

import "math/bits"

const (
	minClass = 5  // smallest buffer: 32 bytes
	maxClass = 16 // largest buffer that is kept for reuse: 64 KiB

	// spareAllowance is how many bytes of unused buffers are kept beyond the bytes in use.
	spareAllowance = 1 << 20
)

// buffers lends out payload memory in sizes that are powers of two and keeps what comes back for the next
// payload of that size. A record occupies less than twice its payload beyond the smallest size, and what is
// kept unused never exceeds what is in use by more than spareAllowance, whatever sizes peers choose to send.
type buffers struct {
	free         [maxClass + 1][][]byte // by size class: log2 of the capacity
	inUse, spare int                    // bytes, by capacity
}

// sizeClass returns log2 of the capacity of a buffer for n bytes.
func sizeClass(n int) int { return max(bits.Len(uint(n-1)), minClass) }

// take returns a buffer of length n, for which the caller fills in all bytes. It is nil when n is zero.
func (p *buffers) take(n int) []byte {
	if n == 0 {
		return nil
	}
	class := sizeClass(n)
	if class > maxClass {
		// Too rare and too large to be worth keeping: the exact size, straight from the runtime.
		return make([]byte, n)
	}
	size := 1 << class
	p.inUse += size
	if len(p.free[class]) > 0 {
		return p.pop(class)[:n]
	}
	return make([]byte, n, size)
}

// give takes back a buffer that [buffers.take] returned.
func (p *buffers) give(b []byte) {
	if len(b) == 0 {
		return
	}
	class := sizeClass(len(b))
	if class > maxClass {
		return
	}
	p.inUse -= 1 << class
	p.spare += 1 << class
	p.free[class] = append(p.free[class], b)

	// The largest go first: they are the fewest and the least likely to be asked for again.
	for class = maxClass; p.spare > p.inUse+spareAllowance; {
		if len(p.free[class]) > 0 {
			p.pop(class)
		} else {
			class--
		}
	}
}

// pop removes a free buffer of this class, of which there must be one.
func (p *buffers) pop(class int) []byte {
	free := p.free[class]
	last := len(free) - 1
	b := free[last]
	free[last] = nil
	p.free[class] = free[:last]
	p.spare -= 1 << class
	return b
}
