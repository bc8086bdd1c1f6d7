package tsync_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// FuzzSnapshot parses a body with the codec of any hello that has one.
func FuzzSnapshot(f *testing.F) {
	for _, h := range hellos() {
		c := newCodec(f, h)
		full, err := c.AppendSnapshot(nil, crowdSnapshot(f, c, 2, tsync.StateFields|tsync.FieldInputSeq))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(tsync.AppendHello(nil, h), full)
	}
	f.Add(tsync.AppendHello(nil, tsync.DefaultHello()), announce(1, 65535))
	f.Fuzz(func(t *testing.T, hello, body []byte) {
		h, err := tsync.ParseHello(hello)
		if err != nil {
			h = tsync.DefaultHello()
		}
		c, err := tsync.NewCodec(h)
		if err != nil {
			c = newCodec(t, tsync.DefaultHello())
		}
		into := tsync.Snapshot{Tick: 1, Removed: make([]uint32, 3), Updates: make([]tsync.Update, 3)}
		err = c.ParseSnapshot(body, &into)
		if room := len(body)*8/52 + 3; cap(into.Updates) > 2*room+8 {
			t.Fatalf("room for %d updates out of %d bytes", cap(into.Updates), len(body))
		}
		header, headerErr := tsync.ParseSnapshotHeader(body)
		if err != nil {
			if into.Tick != 0 || len(into.Removed) != 0 || len(into.Updates) != 0 {
				t.Fatalf("refused, and %v is left", into)
			}
			return
		}
		if headerErr != nil || int(header.Updates) != len(into.Updates) || int(header.Removed) != len(into.Removed) {
			t.Fatalf("%v has the header %v (%v)", into, header, headerErr)
		}
		again, err := c.AppendSnapshot(nil, &into)
		if err != nil || !bytes.Equal(again, body) || c.SnapshotBytes(&into) != len(body) {
			t.Fatalf("%x became %x (%v)", body, again, err)
		}
		if c.ParseSnapshot(body[:len(body)-1], &tsync.Snapshot{}) == nil {
			t.Fatalf("%x is valid without its last byte", body)
		}
		for _, u := range into.Updates {
			var s tsync.State
			c.Dequantize(&u.Codes, u.Fields, &s)
			for _, x := range s.Rotation {
				if math.IsNaN(float64(x)) {
					t.Fatalf("%v has the rotation %v", u, s.Rotation)
				}
			}
			if err := c.Quantize(&s, u.Fields, new(tsync.Codes)); err != nil {
				t.Fatalf("%v stands for %v: %v", u, s, err)
			}
		}
	})
}

// FuzzFrames parses the bodies of version 1 but snapshots. What is accepted encodes to itself, apart from bytes
// behind the body and flags without a meaning.
func FuzzFrames(f *testing.F) {
	for i, body := range fixed {
		f.Add(uint8(i), unhex(f, body.hex))
	}
	f.Add(uint8(len(fixed)), tsync.AppendInput(nil, eightFrames()))
	f.Fuzz(func(t *testing.T, kind uint8, body []byte) {
		again := encodeInput
		if i := int(kind) % (len(fixed) + 1); i < len(fixed) {
			again = fixed[i].again
		}
		requireStable(t, body, again)
	})
}

func encodeInput(body []byte) ([]byte, error) {
	in := tsync.Input{Acked: 1, Frames: make([]tsync.InputFrame, 1)}
	if err := tsync.ParseInput(body, &in); err != nil {
		if in.Acked != 0 || len(in.Frames) != 0 || cap(in.Frames) > 2*tsync.MaxInputFrames {
			panic("refused, and something is left")
		}
		return nil, err
	}
	return tsync.AppendInput(nil, &in), nil
}

// requireStable requires that what is accepted differs from its encoding by flags only, and the encoding not at all.
func requireStable(t *testing.T, body []byte, again func([]byte) ([]byte, error)) {
	first, err := again(body)
	if err != nil {
		return
	}
	if len(first) > len(body) {
		t.Fatalf("%x grew to %x", body, first)
	}
	for i, b := range first {
		if b != body[i] && b != body[i]&1 {
			t.Fatalf("%x became %x", body, first)
		}
	}
	second, err := again(first)
	if err != nil || !bytes.Equal(first, second) {
		t.Fatalf("%x became %x (%v)", first, second, err)
	}
}

// FuzzV2 parses the bodies of version 2, snapshots with the default codec.
func FuzzV2(f *testing.F) {
	c := newCodec(f, tsync.DefaultHello())
	snapshot, err := c.AppendSnapshotV2(nil, &tsync.SnapshotV2{
		Clock: tsync.Clock{Epoch: 1, Tick: 2, Rate: 60}, Snapshot: *crowdSnapshot(f, c, 2, tsync.StateFields),
	})
	if err != nil {
		f.Fatal(err)
	}
	input, err := tsync.AppendInputV2(nil, &tsync.InputV2{Epoch: 1, Input: *eightFrames()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint8(0), tsync.AppendManifest(nil, tsync.DefaultManifest()))
	f.Add(uint8(1), snapshot)
	f.Add(uint8(2), input)
	f.Fuzz(func(t *testing.T, kind uint8, body []byte) {
		switch kind % 3 {
		case 0:
			m, err := tsync.ParseManifest(body)
			if err == nil && !bytes.Equal(tsync.AppendManifest(nil, m), body) {
				t.Fatalf("%x became %v", body, m)
			}
		case 1:
			var s tsync.SnapshotV2
			if c.ParseSnapshotV2(body, &s) != nil {
				if s.Clock != (tsync.Clock{}) || len(s.Snapshot.Updates) != 0 {
					t.Fatalf("refused, and %v is left", s)
				}
				return
			}
			again, err := c.AppendSnapshotV2(nil, &s)
			if err != nil || !bytes.Equal(again, body) {
				t.Fatalf("%x became %x (%v)", body, again, err)
			}
		case 2:
			requireStable(t, body, func(b []byte) ([]byte, error) {
				var in tsync.InputV2
				if err := tsync.ParseInputV2(b, &in); err != nil {
					return nil, err
				}
				return tsync.AppendInputV2(nil, &in)
			})
		}
	})
}
