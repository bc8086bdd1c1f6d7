package schema_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// grown returns a layout with the first n of the properties a, b, c and so on.
func grown(version uint32, n int) schema.Layout {
	l := schema.Layout{Class: 7, Version: version}
	for i := range n {
		l.Properties = append(l.Properties, schema.Property{
			Name: string(rune('a' + i)), Type: schema.Int, Bounds: schema.IntRange(0, int64(i)),
		})
	}
	return l
}

func identity(t *testing.T, l schema.Layout) schema.Identity {
	t.Helper()
	id, err := l.Identity()
	require.NoError(t, err)
	return id
}

func TestHistory(t *testing.T) {
	v2, v3, v5, v8 := grown(2, 1), grown(3, 1), grown(5, 3), grown(8, 4)
	h, err := schema.NewHistory(2, v8, v3, v5, v2)
	require.NoError(t, err)
	require.Equal(t, 4, h.Len())
	require.Equal(t, uint32(2), h.Minimum())
	for i, want := range []schema.Layout{v8, v5, v3, v2} {
		require.Equal(t, want, h.Layout(i))
		require.Equal(t, identity(t, want), h.Identity(i))
		at, err := h.Index(h.Identity(i))
		require.NoError(t, err)
		require.Equal(t, i, at)
		got, err := h.Lookup(h.Identity(i))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	hash := identity(t, v5).Hash
	for _, c := range []struct {
		id   schema.Identity
		want error
	}{
		{identity(t, grown(1, 1)), schema.ErrTooOld},
		{identity(t, grown(0, 0)), schema.ErrTooOld},
		{identity(t, grown(9, 4)), schema.ErrTooNew},
		{schema.Identity{Version: 1<<32 - 1}, schema.ErrTooNew},
		{identity(t, grown(5, 2)), schema.ErrUnknownSchema},
		{identity(t, grown(4, 2)), schema.ErrUnknownSchema},
		{schema.Identity{Hash: hash, Version: 3}, schema.ErrUnknownSchema},
		{schema.Identity{Version: 5}, schema.ErrUnknownSchema},
	} {
		_, err := h.Index(c.id)
		require.ErrorIs(t, err, c.want, "%v", c.id)
		require.ErrorIs(t, err, schema.ErrUnknownSchema)
		l, err := h.Lookup(c.id)
		require.ErrorIs(t, err, c.want)
		require.Zero(t, l)
	}
}

func TestHistoryOfOne(t *testing.T) {
	h, err := schema.NewHistory(0, schema.Layout{})
	require.NoError(t, err)
	l, err := h.Lookup(identity(t, schema.Layout{Class: 3}))
	require.NoError(t, err)
	require.Zero(t, l)
	_, err = h.Lookup(schema.Identity{})
	require.ErrorIs(t, err, schema.ErrUnknownSchema)
}

func TestHistoryKeepsItsOwn(t *testing.T) {
	l := grown(1, 3)
	h, err := schema.NewHistory(0, l)
	require.NoError(t, err)
	l.Properties[0].Name = "changed"
	require.Equal(t, grown(1, 3), h.Layout(0))
}

func TestHistoryRefuses(t *testing.T) {
	changed := func(change func(p *schema.Property)) schema.Layout {
		l := grown(1, 2)
		change(&l.Properties[1])
		return l
	}
	big := schema.Layout{Version: 5, Properties: make([]schema.Property, schema.MaxFields+1)}
	for _, c := range []struct {
		minimum uint32
		current schema.Layout
		older   []schema.Layout
		want    error
	}{
		{0, grown(5, 2), []schema.Layout{grown(4, 3)}, schema.ErrNotPrefix},
		{0, grown(5, 3), []schema.Layout{grown(4, 3), changed(func(p *schema.Property) { p.Name = "x" })}, schema.ErrNotPrefix},
		{0, grown(5, 3), []schema.Layout{changed(func(p *schema.Property) { p.Type = schema.Uint })}, schema.ErrNotPrefix},
		{0, grown(5, 3), []schema.Layout{changed(func(p *schema.Property) { p.Codec = 2 })}, schema.ErrNotPrefix},
		{0, grown(5, 3), []schema.Layout{changed(func(p *schema.Property) { p.Condition = 2 })}, schema.ErrNotPrefix},
		{0, grown(5, 3), []schema.Layout{changed(func(p *schema.Property) { p.Authority = 1 })}, schema.ErrNotPrefix},
		{0, grown(5, 3), []schema.Layout{changed(func(p *schema.Property) { p.Bounds = schema.NoBounds })}, schema.ErrNotPrefix},
		{0, grown(5, 3), []schema.Layout{changed(func(p *schema.Property) { p.Push = true })}, nil},
		{0, grown(5, 3), []schema.Layout{grown(5, 2)}, schema.ErrVersion},
		{0, grown(5, 3), []schema.Layout{grown(6, 2)}, schema.ErrVersion},
		{0, grown(5, 3), []schema.Layout{grown(4, 2), grown(3, 1), grown(4, 1)}, schema.ErrVersion},
		{3, grown(5, 3), []schema.Layout{grown(3, 2)}, nil},
		{4, grown(5, 3), []schema.Layout{grown(3, 2)}, schema.ErrTooOld},
		{6, grown(5, 3), nil, schema.ErrTooOld},
		{0, big, nil, schema.ErrTooManyFields},
	} {
		h, err := schema.NewHistory(c.minimum, c.current, c.older...)
		require.ErrorIs(t, err, c.want)
		require.Equal(t, c.want != nil, h == nil)
	}
}

func TestExtends(t *testing.T) {
	require.NoError(t, grown(5, 3).Extends(grown(4, 3)), "nothing need be appended")
	require.NoError(t, grown(5, 3).Extends(grown(0, 0)))
	require.ErrorIs(t, grown(5, 3).Extends(grown(5, 3)), schema.ErrVersion)
	require.ErrorIs(t, grown(5, 3).Extends(grown(6, 2)), schema.ErrVersion)
	require.ErrorIs(t, grown(5, 2).Extends(grown(4, 3)), schema.ErrNotPrefix)
}

// randomLayout draws from few layouts, so that many are alike, prefixes of each other or nearly so.
func randomLayout(r *rand.Rand) schema.Layout {
	l := grown(uint32(r.IntN(6)), r.IntN(5))
	if len(l.Properties) > 0 && r.IntN(8) == 0 {
		l.Properties[r.IntN(len(l.Properties))].Condition++
	}
	return l
}

// checkHistory makes a history and compares it with what the rules say, spelled out.
func checkHistory(t *testing.T, minimum uint32, current schema.Layout, older []schema.Layout, asked []schema.Layout) {
	fits := current.Version >= minimum
	versions := map[uint32]bool{current.Version: true}
	for _, l := range older {
		fits = fits && l.Version >= minimum && l.Version < current.Version && !versions[l.Version] &&
			len(l.Properties) <= len(current.Properties) && slices.Equal(l.Properties, current.Properties[:len(l.Properties)])
		versions[l.Version] = true
	}
	h, err := schema.NewHistory(minimum, current, older...)
	require.Equal(t, fits, err == nil, "%v", err)
	if err != nil {
		return
	}
	all := append([]schema.Layout{current}, older...)
	for _, l := range slices.Concat(all, asked) {
		want := slices.ContainsFunc(all, func(k schema.Layout) bool {
			return k.Version == l.Version && slices.Equal(k.Properties, l.Properties)
		})
		got, err := h.Lookup(identity(t, l))
		require.Equal(t, want, err == nil, "%v", err)
		if want {
			require.Equal(t, l, got)
			continue
		}
		require.ErrorIs(t, err, schema.ErrUnknownSchema)
		_, err = h.Index(identity(t, l))
		require.Equal(t, l.Version < minimum, err == schema.ErrTooOld)
		require.Equal(t, l.Version > current.Version, err == schema.ErrTooNew)
	}
}

func TestHistoryAgainstRules(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 3000 {
		current := randomLayout(r)
		older := make([]schema.Layout, r.IntN(3))
		for i := range older {
			older[i] = randomLayout(r)
		}
		checkHistory(t, uint32(r.IntN(4)), current, older, []schema.Layout{randomLayout(r), randomLayout(r)})
	}
}

// FuzzHistory reads the minimum from the first byte and then layouts of two bytes each: version and number of
// properties, and which property is changed. The last is only asked for.
func FuzzHistory(f *testing.F) {
	f.Add([]byte{1, 0x34, 0xff, 0x12, 0xff, 0x11, 0xff})
	f.Add([]byte{0, 0x52, 0xff, 0x42, 0x01, 0x42, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 5 || len(b) > 40 {
			return
		}
		var layouts []schema.Layout
		for rest := b[1:]; len(rest) >= 2; rest = rest[2:] {
			l := grown(uint32(rest[0]>>4), int(rest[0]&15))
			if at := int(rest[1]); at < len(l.Properties) {
				l.Properties[at].Authority = schema.ClientOwned
			}
			layouts = append(layouts, l)
		}
		last := len(layouts) - 1
		checkHistory(t, uint32(b[0]), layouts[0], layouts[1:last], layouts[last:])
	})
}

func TestLookupAllocatesNothing(t *testing.T) {
	h, err := schema.NewHistory(1, grown(8, 4), grown(3, 1), grown(5, 3))
	require.NoError(t, err)
	ids := []schema.Identity{h.Identity(0), h.Identity(2), {}, {Version: 9}, {Version: 5}}
	refused := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, id := range ids {
			if _, err := h.Lookup(id); err != nil {
				refused++
			}
		}
	}))
	require.NotZero(t, refused)
}
