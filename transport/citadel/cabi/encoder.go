package main

import (
	"errors"
	"slices"
	"sync"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// maxFields is how many fields a layout can have.
const maxFields = netpeer.MaxFields

var errFailed = errors.New("cabi: an earlier call on the encoder failed")

// encoder gathers a bunch. All of its values are copies: C may reuse its memory after every call.
type encoder struct {
	header netpeer.Header
	named  bool // the identity is set
	fields []netpeer.Field
	bunch  netpeer.Bunch // its changes are in ascending order
	failed bool
	packet []byte // once it has been made
}

// newEncoder checks what can be checked at once.
func newEncoder(h netpeer.Header, fields uint32) (*encoder, error) {
	switch {
	case h.Result == 0 || !h.Full && h.Base == 0:
		return nil, netpeer.ErrZeroToken
	case fields > maxFields:
		return nil, schema.ErrTooManyFields
	}
	if h.Full {
		h.Base = 0
	}
	e := &encoder{header: h, fields: make([]netpeer.Field, fields)}
	for i := range e.fields {
		// A field that is not added has no value either, so its kind is of no account.
		e.fields[i] = netpeer.Bool()
	}
	return e, nil
}

// do is how every call but finish gets at the encoder: after one error nothing else happens.
func (e *encoder) do(f func() error) error {
	if e.failed {
		return errFailed
	}
	err := f()
	if err != nil {
		e.failed = true
	}
	e.packet = nil
	return err
}

func (e *encoder) setSchema(id schema.Identity) error {
	return e.do(func() error {
		e.header.Identity, e.named = id, true
		return nil
	})
}

// add adds a field whose value is made by a function, and encodes it once to see whether that is possible.
func (e *encoder) add(index uint32, field netpeer.Field, value func(*netpeer.Field) (netpeer.Value, error)) error {
	return e.do(func() error {
		if uint64(index) >= uint64(len(e.fields)) {
			return netpeer.ErrField
		}
		at, taken := slices.BinarySearchFunc(e.bunch.Changes, int(index), func(c netpeer.Change, i int) int { return c.Field - i })
		if taken {
			return netpeer.ErrFieldOrder
		}
		alone, err := netpeer.NewSchema(schema.Identity{}, field)
		if err != nil {
			return err
		}
		v, err := value(alone.Field(0))
		if err != nil {
			return err
		}
		if _, _, err := alone.Prepare(nil, 0, &v); err != nil {
			return err
		}
		e.fields[index] = field
		e.bunch.Changes = slices.Insert(e.bunch.Changes, at, netpeer.Change{Field: int(index), Value: v.Clone()})
		return nil
	})
}

// finish returns the bunch, which stays the encoder's.
func (e *encoder) finish() ([]byte, error) {
	switch {
	case e.failed:
		return nil, errFailed
	case e.packet != nil:
		return e.packet, nil
	case e.header.Full && !e.named:
		return nil, netpeer.ErrZeroToken
	}
	s, err := netpeer.NewSchema(e.header.Identity, e.fields...)
	if err != nil {
		return nil, err
	}
	e.bunch.Header = e.header
	e.packet, err = s.AppendBunch(nil, &e.bunch)
	return e.packet, err
}

// encoders are those that C knows, by the numbers that it knows them by. No number is given out twice, so that one that
// was freed stays unknown.
var encoders = struct {
	sync.Mutex
	last uint64
	open map[uint64]*encoder
}{open: map[uint64]*encoder{}}

func register(e *encoder) uint64 {
	encoders.Lock()
	defer encoders.Unlock()
	encoders.last++
	encoders.open[encoders.last] = e
	return encoders.last
}

// find returns errArgument for a number that names no encoder.
func find(id uint64) (*encoder, error) {
	encoders.Lock()
	defer encoders.Unlock()
	if e := encoders.open[id]; e != nil {
		return e, nil
	}
	return nil, errArgument
}

func forget(id uint64) error {
	encoders.Lock()
	defer encoders.Unlock()
	if encoders.open[id] == nil {
		return errArgument
	}
	delete(encoders.open, id)
	return nil
}
