package netpeer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// A bunch that is put together of parts is the bunch that AppendBunch makes, and is taken apart again.
func TestParts(t *testing.T) {
	s, err := NewSchema(schema.Identity{Version: 3}, Bytes(8), Collection(Bool(), 4))
	require.NoError(t, err)
	text, list := s.Field(0), s.Field(1)
	yes, err := list.Item().Bool(true)
	require.NoError(t, err)
	delta := &CollectionDelta{Added: []Element{{ID: ElementID{Index: 2}, Key: 1, Value: yes}}}
	b := Bunch{Header: Header{Object: 7, Full: true, Result: 300}}
	v, err := text.Bytes([]byte("anna"))
	require.NoError(t, err)
	b.Changes = append(b.Changes, Change{0, v})
	v, err = list.Collection(delta)
	require.NoError(t, err)
	b.Changes = append(b.Changes, Change{1, v})
	want, err := s.AppendBunch(nil, &b)
	require.NoError(t, err)

	var w bitpack.Writer
	require.NoError(t, b.Header.Write(&w, s))
	w.WriteBits(0b11, 2)
	require.NoError(t, text.WriteBytes(&w, []byte("anna")))
	require.NoError(t, list.WriteCollection(&w, delta))
	require.Equal(t, want, w.Bytes())

	var r bitpack.Reader
	var h Header
	var budget Budget
	var got CollectionDelta
	r.Reset(want)
	require.NoError(t, h.Read(&r))
	require.Equal(t, uint64(300), h.Result)
	_, err = r.ReadBits(2)
	require.NoError(t, err)
	name, err := text.ReadBytes(&r, &budget, nil)
	require.NoError(t, err)
	require.Equal(t, "anna", string(name))
	require.NoError(t, list.ReadCollection(&r, &budget, &got))
	require.NoError(t, r.Finish())
	require.True(t, got.equal(delta))

	require.ErrorIs(t, new(Header).Write(&w, s), ErrZeroToken)
	require.ErrorIs(t, list.WriteBytes(&w, nil), ErrKind)
	require.ErrorIs(t, text.WriteBytes(&w, make([]byte, 9)), ErrBytesTooLong)
	require.ErrorIs(t, text.WriteCollection(&w, nil), ErrKind)
	require.ErrorIs(t, text.ReadCollection(&r, &budget, &got), ErrKind)
	_, err = list.ReadBytes(&r, &budget, nil)
	require.ErrorIs(t, err, ErrKind)
	require.ErrorIs(t, list.ReadCollection(&r, &budget, &got), bitpack.ErrOverrun)
	require.Empty(t, got.Added)

	// Field numbers, header and limits can be asked for without reading values.
	header, fields, err := PeekFields([]int{9}, want, s)
	require.NoError(t, err)
	require.Equal(t, []int{9, 0, 1}, fields)
	require.Equal(t, b.Object, header.Object)
	_, fields, err = PeekFields([]int{9}, want[:9], s)
	require.ErrorIs(t, err, bitpack.ErrOverrun)
	require.Equal(t, []int{9}, fields)
	require.Equal(t, uint32(8), text.Limit())
	require.Equal(t, uint32(4), list.Limit())
	require.Zero(t, list.Item().Limit())
	quat := Quat(10)
	require.Zero(t, quat.Limit())
}
