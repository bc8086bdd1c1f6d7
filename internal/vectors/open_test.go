package vectors

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, text []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := io.WriteString(z, "[2]")
	require.NoError(t, err)
	require.NoError(t, z.Close())

	write("plain.json", []byte("[1]"))
	write("packed.json.gz", packed.Bytes())
	write("both.json", []byte("[3]"))
	write("both.json.gz", packed.Bytes())
	write("cut.json.gz", packed.Bytes()[:12])
	write("odd.json.gz", []byte("[\"as it is\"]"))
	for name, want := range map[string]string{"plain": "[1]", "packed": "[2]", "both": "[3]"} {
		f, err := open(filepath.Join(dir, name+".json"))
		require.NoError(t, err, name)
		text, err := io.ReadAll(f)
		require.NoError(t, err, name)
		require.Equal(t, want, string(text), name)
		require.NoError(t, f.Close())
	}

	_, err = open(filepath.Join(dir, "none.json"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = open(filepath.Join(dir, "odd.json"))
	require.ErrorIs(t, err, gzip.ErrHeader)
	require.ErrorContains(t, err, "odd.json.gz")
	f, err := open(filepath.Join(dir, "cut.json"))
	require.NoError(t, err)
	defer f.Close()
	_, err = io.ReadAll(f)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
