package kinds

import (
	"errors"
	"net/netip"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/kinds/geom"
)

// Text and Blob have no size of their own.
type (
	Text string
	Blob []byte
	Path []Cell
)

// Line is a plain struct of varying size.
type Line struct {
	Head uint16
	Text string `netcode:"max=255"`
	Tail Tool   `netcode:"enum"`
}

// Varying has everything that has a length.
//
//netcode:command
type Varying struct {
	Channel uint8 `netcode:"range=1..5"`
	Loud    bool
	Short   string      `netcode:"max=64"`
	Wide    Text        `netcode:"max=256"`
	Long    string      `netcode:"max=65536"`
	Bytes   []byte      `netcode:"max=255"`
	Blob    Blob        `netcode:"max=70000"`
	Cells   []Cell      `netcode:"max=300"`
	Path    Path        `netcode:"max=4"`
	Numbers []int16     `netcode:"max=3"`
	Octets  []Octet     `netcode:"max=3"`
	Dirs    []Dir       `netcode:"max=7 enum"`
	Limited []uint8     `netcode:"max=7 range=0..99"`
	Hashes  []Hash      `netcode:"max=2"`
	Matrix  [][2]uint32 `netcode:"max=2"`
	Lines   []Line      `netcode:"max=4"`
	Two     [2]Line
	Four    [2][2]struct {
		Label geom.Label
	}
	Words [2]string `netcode:"max=5"`
	Label geom.Label
	Addr  netip.Addr    `netcode:"max=40"`
	Addrs [2]netip.Addr `netcode:"max=300"`
	Last  uint32
}

// Say is what most commands with a string look like.
//
//netcode:command
type Say struct {
	To   uint32
	Text string `netcode:"max=200"`
}

// Names is a command of varying size without fields.
//
//netcode:command
type Names [3]geom.Label

// Own has a codec that somebody wrote.
//
//netcode:command
type Own struct{ hidden func() byte }

// AppendBinary implements [encoding.BinaryAppender].
func (o Own) AppendBinary(b []byte) ([]byte, error) {
	if o.hidden == nil {
		return nil, errors.New("nothing is hidden")
	}
	return append(b, o.hidden()), nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (o *Own) UnmarshalBinary(p []byte) error {
	if len(p) != 1 {
		return errors.New("not an Own")
	}
	secret := p[0]
	o.hidden = func() byte { return secret }
	return nil
}

// Wrapped has a field that is encoded by its own methods, and one that only has methods by what it embeds.
//
//netcode:command
type Wrapped struct {
	Own  Own `netcode:"max=1"`
	Also struct {
		Inner
		More uint8
	}
}

// Inner is a plain struct.
type Inner struct{ A, B uint8 }

// Route ends in a slice.
//
//netcode:command
type Route struct {
	Speed uint8
	Cells []Cell `netcode:"max=20"`
}

// Tour ends in a slice whose elements have no size of their own.
//
//netcode:command
type Tour struct {
	Stops []geom.Label `netcode:"max=20"`
}

// Squad has slices in slices in slices.
//
//netcode:command
type Squad struct {
	Units []struct {
		Name   string `netcode:"max=10"`
		Orders []struct {
			Path []geom.Vec `netcode:"max=3"`
			Note string     `netcode:"max=300"`
			Fast bool
		} `netcode:"max=4"`
		Labels [2]geom.Label
		Crew   [2][]Dir `netcode:"max=3 enum"`
	} `netcode:"max=3"`
	Leader uint8
}
