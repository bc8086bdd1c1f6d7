package record

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWriteAndRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), FileName)
	want := &Demo{
		Title:   "a demo",
		Paths:   []Path{{Object: 7, Seen: "ada", True: []Point{{1, 2, 3}}, Shown: []Point{{4, 5, 6}}}},
		Players: []Player{{Name: "ada", Delay: []Delay{{1, 100, 75}}, Snapshots: []Snapshot{{1, 300, true}}}},
		Volleys: []Volley{{Lag: 40, Compensated: true, Shots: 3, Confirmed: 2}},
	}
	require.NoError(t, Write(file, want))
	got, err := Read(file)
	require.NoError(t, err)
	require.Equal(t, want, got)

	require.Error(t, Write(file, &Demo{Volleys: []Volley{{Lag: math.NaN()}}}))
	require.NoError(t, os.WriteFile(file, []byte("[]"), 0o600))
	_, err = Read(file)
	require.ErrorContains(t, err, file)
	_, err = Read(file + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
}
