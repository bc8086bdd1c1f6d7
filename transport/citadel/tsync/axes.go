package tsync

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// axes turns vectors into codes, and says how these lie on the wire: x, y, z, each as wide as its largest code.
type axes struct {
	of    quant.Vector
	max   [3]uint64
	bits  [3]uint
	total uint
	x, y  uint // where the codes start if all three are one number, which they are unless wide
	wide  bool // together more than 64 bits
	pair  bool // wide, but the first two are not, as with the default hello
}

func newAxes(v quant.Vector) axes {
	a := axes{of: v}
	for i := range v {
		a.max[i] = v[i].MaxCode()
		a.bits[i] = v[i].Bits()
		a.total += v[i].Bits()
	}
	a.x = a.bits[1] + a.bits[2]
	a.y = a.bits[2]
	a.wide = a.total > 64
	a.pair = a.wide && a.bits[0]+a.bits[1] <= 64
	return a
}

// hold reports whether the codes are valid.
func (a *axes) hold(c *[3]uint64) bool {
	return c[0] <= a.max[0] && c[1] <= a.max[1] && c[2] <= a.max[2]
}

// join makes one number of valid codes that are not wide. The masks of the shifts change nothing; they spare the
// compiler the case of 64 bits and more.
func (a *axes) join(c *[3]uint64) uint64 {
	return c[0]<<(a.x&63) | c[1]<<(a.y&63) | c[2]
}

// split undoes join.
func (a *axes) split(v uint64) [3]uint64 {
	rest := v & (1<<(a.x&63) - 1)
	return [3]uint64{v >> (a.x & 63), rest >> (a.y & 63), rest & (1<<(a.y&63) - 1)}
}

// writeWide appends valid codes that are wide.
func (a *axes) writeWide(w *bitpack.Writer, c *[3]uint64) {
	if a.pair {
		w.WriteBits(c[0]<<(a.bits[1]&63)|c[1], a.bits[0]+a.bits[1])
	} else {
		w.WriteBits(c[0], a.bits[0])
		w.WriteBits(c[1], a.bits[1])
	}
	w.WriteBits(c[2], a.bits[2])
}

// read reads three codes, and reports the first thing that is wrong with them: an invalid code before the end of the
// stream, if it comes first.
func (a *axes) read(r *bitpack.Reader, c *[3]uint64) error {
	if uint64(a.total) > r.Remaining() {
		return a.readShort(r)
	}
	switch {
	case !a.wide:
		v, _ := r.ReadBits(a.total)
		*c = a.split(v)
	case a.pair:
		v, _ := r.ReadBits(a.bits[0] + a.bits[1])
		c[0], c[1] = v>>(a.bits[1]&63), v&(1<<(a.bits[1]&63)-1)
		c[2], _ = r.ReadBits(a.bits[2])
	default:
		for i := range c {
			c[i], _ = r.ReadBits(a.bits[i])
		}
	}
	if !a.hold(c) {
		return errCode
	}
	return nil
}

// readShort is read for a stream that ends within the codes.
func (a *axes) readShort(r *bitpack.Reader) error {
	for i := range a.bits {
		code, err := r.ReadBits(a.bits[i])
		if err != nil {
			break
		}
		if code > a.max[i] {
			return errCode
		}
	}
	return errOverrun
}

// encode and decode are what a [quant.Vector] does, for one that need not be copied to and fro.

// encode makes codes of a point. If a coordinate is NaN it leaves them alone and returns false.
func (a *axes) encode(p *[3]float32, codes *[3]uint64) bool {
	x, errX := a.of[0].Encode(p[0])
	y, errY := a.of[1].Encode(p[1])
	z, errZ := a.of[2].Encode(p[2])
	if errX != nil || errY != nil || errZ != nil {
		return false
	}
	codes[0], codes[1], codes[2] = x, y, z
	return true
}

// decode makes a point of codes, and the largest code of what is above it.
func (a *axes) decode(codes *[3]uint64, p *[3]float32) {
	p[0], _ = a.of[0].Decode(min(codes[0], a.max[0]))
	p[1], _ = a.of[1].Decode(min(codes[1], a.max[1]))
	p[2], _ = a.of[2].Decode(min(codes[2], a.max[2]))
}
