package bitpack_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

type bitsFile struct {
	Family      string         `json:"family"`
	Set         string         `json:"set"`
	Seed        string         `json:"seed"`
	Source      string         `json:"source"`
	Writes      []writeVector  `json:"writes"`
	WriteErrors []refusedWrite `json:"write_errors"`
	Packed      []packedVector `json:"packed"`
	Reads       []readVector   `json:"reads"`
	Finish      []finishVector `json:"finish"`
}

type writeOp struct {
	Value vectors.U64 `json:"value"`
	N     uint        `json:"n"`
}

type writeVector struct {
	ID     string      `json:"id"`
	Ops    []writeOp   `json:"ops"`
	BitLen uint64      `json:"bit_len"`
	Bytes  vectors.Hex `json:"bytes_hex"`
}

type refusedWrite struct {
	ID     string      `json:"id"`
	Before []writeOp   `json:"before"`
	N      uint        `json:"n"`
	Error  string      `json:"error"`
	BitLen uint64      `json:"bit_len_after"`
	Bytes  vectors.Hex `json:"bytes_hex_after"`
}

type packedVector struct {
	ID        string      `json:"id"`
	Before    writeOp     `json:"before"`
	Packed    vectors.Hex `json:"packed_hex"`
	PackedLen uint64      `json:"packed_bit_len"`
	OK        bool        `json:"ok"`
	Error     string      `json:"error"`
	After     writeOp     `json:"after"`
	BitLen    uint64      `json:"bit_len"`
	Bytes     vectors.Hex `json:"bytes_hex"`
}

type readVector struct {
	ID     string      `json:"id"`
	Bytes  vectors.Hex `json:"bytes_hex"`
	Bound  string      `json:"bound"`
	BitLen uint64      `json:"bit_len"`
	Steps  []readStep  `json:"steps"`
}

type readStep struct {
	Op        string      `json:"op"`
	N         uint        `json:"n"`
	Pos       uint64      `json:"pos"`
	OK        bool        `json:"ok"`
	Error     string      `json:"error"`
	Value     vectors.U64 `json:"value"`
	PosAfter  *uint64     `json:"pos_after"`
	LeftAfter *uint64     `json:"remaining_after"`
}

type finishVector struct {
	ID      string      `json:"id"`
	Bytes   vectors.Hex `json:"bytes_hex"`
	Consume uint64      `json:"consume_bits"`
	OK      bool        `json:"ok"`
	Error   string      `json:"error"`
}

var errorClasses = map[string]error{
	"bit_overrun":           bitpack.ErrOverrun,
	"noncanonical_padding":  bitpack.ErrPadding,
	"too_many_bits":         bitpack.ErrTooManyBits,
	"packed_bits_too_short": bitpack.ErrShortRun,
}

// checkVerdict compares an outcome with a vector's.
func checkVerdict(t *testing.T, ok bool, class string, err error) {
	t.Helper()
	if ok {
		require.NoError(t, err)
		return
	}
	require.NotNil(t, errorClasses[class], "class %q", class)
	require.ErrorIs(t, err, errorClasses[class])
}

func write(w *bitpack.Writer, ops ...writeOp) {
	for _, op := range ops {
		w.WriteBits(uint64(op.Value), op.N)
	}
}

func TestConformanceBits(t *testing.T) {
	vectors.EachFile(t, "citadel", "bits.json", func(t *testing.T, f bitsFile) {
		for _, v := range f.Writes {
			t.Run(v.ID, func(t *testing.T) {
				var w bitpack.Writer
				write(&w, v.Ops...)
				require.NoError(t, w.Err())
				require.Equal(t, v.BitLen, w.Len())
				require.Equal(t, []byte(v.Bytes), append([]byte{}, w.Bytes()...))
			})
		}
		for _, v := range f.WriteErrors {
			t.Run(v.ID, func(t *testing.T) {
				var w bitpack.Writer
				write(&w, v.Before...)
				require.NoError(t, w.Err())
				w.WriteBits(^uint64(0), v.N)
				checkVerdict(t, false, v.Error, w.Err())
				require.Equal(t, v.BitLen, w.Len())
				require.Equal(t, []byte(v.Bytes), append([]byte{}, w.Bytes()...))
			})
		}
		for _, v := range f.Packed {
			t.Run(v.ID, func(t *testing.T) {
				var w bitpack.Writer
				write(&w, v.Before)
				before := w.Len()
				err := w.WriteRun(v.Packed, v.PackedLen)
				checkVerdict(t, v.OK, v.Error, err)
				if !v.OK {
					require.Equal(t, before, w.Len())
					return
				}
				write(&w, v.After)
				require.Equal(t, v.BitLen, w.Len())
				require.Equal(t, []byte(v.Bytes), w.Bytes())
			})
		}
		for _, v := range f.Reads {
			t.Run(v.ID, func(t *testing.T) { checkRead(t, v) })
		}
		for _, v := range f.Finish {
			t.Run(v.ID, func(t *testing.T) {
				var r bitpack.Reader
				r.Reset(v.Bytes)
				r.SeekBit(v.Consume)
				require.Equal(t, v.Consume, r.Pos())
				checkVerdict(t, v.OK, v.Error, r.Finish())
			})
		}
	})
}

func checkRead(t *testing.T, v readVector) {
	var r bitpack.Reader
	switch v.Bound {
	case "bytes":
		r.Reset(v.Bytes)
	case "bits":
		r.ResetBits(v.Bytes, v.BitLen)
	default:
		require.Fail(t, "unknown bound", "%q", v.Bound)
	}
	require.Equal(t, v.BitLen, r.Remaining())
	for i, step := range v.Steps {
		switch step.Op {
		case "read":
			value, err := r.ReadBits(step.N)
			checkVerdict(t, step.OK, step.Error, err)
			require.Equal(t, uint64(step.Value), value, "step %d", i)
		case "seek":
			r.SeekBit(step.Pos)
		case "finish":
			checkVerdict(t, step.OK, step.Error, r.Finish())
		default:
			require.Fail(t, "unknown step", "%q", step.Op)
		}
		if step.PosAfter != nil {
			require.Equal(t, *step.PosAfter, r.Pos(), "step %d", i)
			require.Equal(t, *step.LeftAfter, r.Remaining(), "step %d", i)
		}
	}
}
