package vectors

import (
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
)

// open opens a file or, where there is none, what is in the file of the same name with ".gz" behind it.
func open(path string) (*document, error) {
	f, err := os.Open(path)
	if err == nil {
		return &document{Reader: f, file: f}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	packed, packedErr := os.Open(path + ".gz")
	if packedErr != nil {
		return nil, err // names the file that was asked for
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		_ = packed.Close()
		return nil, &fs.PathError{Op: "gunzip", Path: path + ".gz", Err: err}
	}
	return &document{Reader: z, file: packed}, nil
}

// document is the text of a file, unpacked.
type document struct {
	io.Reader
	file *os.File
}

func (d *document) Close() error { return d.file.Close() }
