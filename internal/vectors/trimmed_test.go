package vectors

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTrimmedIsPartOfTheFullSet checks, line by line and without the program that made the copy, that nothing
// in it was invented or moved: apart from a comma at its end, each of its lines is a line of the full file, in
// the same order. Without the full set, the copy's documents are at least read to their ends.
func TestTrimmedIsPartOfTheFullSet(t *testing.T) {
	module, err := moduleRoot()
	require.NoError(t, err)
	trimmed := filepath.Join(module, "testdata", "vectors")
	full := filepath.Join(filepath.Dir(module), "shared", "vectors")
	_, err = os.Stat(full)
	haveFull := !errors.Is(err, fs.ErrNotExist)

	files, err := filepath.Glob(filepath.Join(trimmed, "*", "*.json.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name, err := filepath.Rel(trimmed, strings.TrimSuffix(file, ".gz"))
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) {
			f, err := open(filepath.Join(trimmed, name))
			require.NoError(t, err)
			defer f.Close()
			copied, err := io.ReadAll(f)
			require.NoError(t, err)
			n, arrayErr := readArray(bytes.NewReader(copied), func(string, []byte) {})
			_, objectErr := readObject(bytes.NewReader(copied), true)
			require.True(t, (arrayErr == nil && n > 0) || objectErr == nil, "array: %v; object: %v", arrayErr, objectErr)
			if !haveFull {
				return
			}
			whole, err := os.ReadFile(filepath.Join(full, name))
			require.NoError(t, err)
			rest := lines(whole)
			for i, line := range lines(copied) {
				skipped := 0
				for skipped < len(rest) && !bytes.Equal(rest[skipped], line) {
					skipped++
				}
				require.Less(t, skipped, len(rest), "line %d is not in the rest of the full file", i+1)
				rest = rest[skipped+1:]
			}
		})
	}
}

func lines(text []byte) [][]byte {
	all := bytes.Split(text, []byte("\n"))
	for i := range all {
		all[i] = bytes.TrimSuffix(all[i], []byte(","))
	}
	return all
}
