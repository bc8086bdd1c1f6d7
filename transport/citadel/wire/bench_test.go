package wire_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// packFramed is what one would write by hand for one kind and body. It must not be inlined: then it would know its
// arguments.
//
//go:noinline
func packFramed(dst []byte, kind uint16, body []byte) []byte {
	n := len(body) + 2
	dst = append(dst, byte(n>>24), byte(n>>16), byte(n>>8), byte(n), byte(kind>>8), byte(kind))
	return append(dst, body...)
}

func BenchmarkAppendFramed(b *testing.B) {
	for _, size := range []int{8, 64, 1024} {
		body := make([]byte, size)
		var dst []byte
		b.Run(fmt.Sprintf("package/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = wire.AppendFramed(dst[:0], wire.KindSession, body)
			}
		})
		b.Run(fmt.Sprintf("by_hand/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dst = packFramed(dst[:0], uint16(wire.KindSession), body)
			}
		})
	}
}

//go:noinline
func packState(dst []byte, s wire.State) []byte {
	dst = binary.BigEndian.AppendUint32(dst, s.Object)
	for _, f := range s.Transform.Position {
		dst = binary.BigEndian.AppendUint32(dst, math.Float32bits(f))
	}
	for _, f := range s.Transform.Rotation {
		dst = binary.BigEndian.AppendUint32(dst, math.Float32bits(f))
	}
	for _, f := range s.Transform.Velocity {
		dst = binary.BigEndian.AppendUint32(dst, math.Float32bits(f))
	}
	return dst
}

func BenchmarkState(b *testing.B) {
	s := wire.State{Object: 1, Transform: wire.Transform{Position: [3]float32{1, 2, 3}, Rotation: [4]float32{3: 1}}}
	var dst []byte
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			dst = wire.AppendState(dst[:0], s)
		}
	})
	b.Run("append_by_hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			dst = packState(dst[:0], s)
		}
	})
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := wire.ParseState(dst); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("refuse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := wire.ParseState(dst[:10]); err == nil {
				b.Fatal("accepted")
			}
		}
	})
}

func BenchmarkSpawnBatch(b *testing.B) {
	spawns := make([]wire.Spawn, 100)
	var dst []byte
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			dst = wire.AppendSpawnBatch(dst[:0], spawns)
		}
		b.SetBytes(int64(len(dst)))
	})
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(dst)))
		sum := uint64(0)
		for b.Loop() {
			batch, err := wire.ParseSpawnBatch(dst)
			if err != nil {
				b.Fatal(err)
			}
			for i := range batch.Len() {
				sum += batch.At(i).Owner
			}
		}
	})
}

// BenchmarkDecoder has sixteen whole frames at once, of several sizes, on the three ways in.
func BenchmarkDecoder(b *testing.B) {
	for _, size := range []int{64, 1024, 16 << 10} {
		var frames []byte
		for range 16 {
			frames, _ = wire.AppendFramed(frames, wire.KindSession, make([]byte, size))
		}
		for name, feed := range map[string]func(dec *wire.Decoder) error{
			"write": func(dec *wire.Decoder) error {
				_, _ = dec.Write(frames)
				for {
					if _, ok, err := dec.Next(); !ok {
						return err
					}
				}
			},
			"frames": func(dec *wire.Decoder) error {
				for _, err := range dec.Frames(frames) {
					if err != nil {
						return err
					}
				}
				return nil
			},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				var dec wire.Decoder
				b.ReportAllocs()
				b.SetBytes(int64(len(frames)))
				for b.Loop() {
					if err := feed(&dec); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkRPCRequest(b *testing.B) {
	r := wire.RPCRequest{ID: 7, Method: []byte("inventory.list"), Payload: make([]byte, 32)}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = wire.AppendRPCRequest(dst[:0], r)
		if _, err := wire.ParseRPCRequest(dst); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkChatEvent(b *testing.B) {
	text := []byte(chatEvents[0].text)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := wire.ParseChatEvent(text); err != nil {
			b.Fatal(err)
		}
	}
}
