package vectors

import (
	"errors"
	"io"
	"io/fs"
	"testing"
)

// Each runs fn as a subtest for every element of a file that is a JSON array, in every root that has the file,
// in the file's order. A subtest is named by the element's "name", else its "id", else its index; those of the
// extra roots carry the root's name in front.
//
// The file is read one element at a time. Each fails t if the main root lacks the file or an element, if any
// root's file is not one JSON array, or if an element is not exactly a T.
func Each[T any](t *testing.T, family, file string, fn func(t *testing.T, v T)) {
	t.Helper()
	eachRoot(t, family, file, func(root Root, path string, f io.Reader) {
		n, err := readArray(f, func(name string, raw []byte) {
			t.Run(root.subtest(name), func(t *testing.T) {
				v, err := decode[T](raw)
				if err != nil {
					t.Fatalf("%s: element %s: %v", path, name, err)
				}
				fn(t, v)
			})
		})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if n == 0 && !root.extra {
			t.Fatalf("%s: no elements: nothing was tested", path)
		}
	})
}

// EachFile runs fn as a subtest for a whole file that is a JSON object, in every root that has the file. A
// subtest is named by its root.
//
// EachFile fails t if the main root lacks the file, if its object has a list that is empty, or if any root's
// file is not exactly one T.
func EachFile[T any](t *testing.T, family, file string, fn func(t *testing.T, v T)) {
	t.Helper()
	eachRoot(t, family, file, func(root Root, path string, f io.Reader) {
		t.Run(root.Name, func(t *testing.T) {
			raw, err := readObject(f, !root.extra)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			v, err := decode[T](raw)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			fn(t, v)
		})
	})
}

// eachRoot opens the file in every root and closes it after fn.
func eachRoot(t *testing.T, family, file string, fn func(root Root, path string, f io.Reader)) {
	t.Helper()
	for _, root := range Roots(t) {
		path := root.Path(family, file)
		f, err := open(path)
		if root.extra && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer f.Close()
			fn(root, path, f)
		}()
	}
}
