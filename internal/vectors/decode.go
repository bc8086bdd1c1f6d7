package vectors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
)

// readArray calls fn with every element of the JSON array that r holds, and returns their number. What fn gets
// is its own to keep. It is an error if r holds anything but one array.
func readArray(r io.Reader, fn func(name string, raw []byte)) (n int, err error) {
	d := json.NewDecoder(r)
	if err := openWith(d, '['); err != nil {
		return 0, err
	}
	for ; d.More(); n++ {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return n, fmt.Errorf("element %d: %w", n, err)
		}
		fn(elementName(n, raw), raw)
	}
	return n, closeDocument(d)
}

// readObject returns the JSON object that r holds. It is an error if r holds anything else, or if full is set
// and one of the object's lists is empty.
func readObject(r io.Reader, full bool) ([]byte, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	if fields == nil {
		return nil, errors.New("not a JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		raw := fields[name]
		if full && raw[0] == '[' && len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0 {
			return nil, fmt.Errorf("list %q is empty: nothing of it was tested", name)
		}
	}
	return text, nil
}

// decode turns one JSON value into a T, and refuses what T does not know.
func decode[T any](raw []byte) (T, error) {
	var v T
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, err
	}
	return v, closeStream(d)
}

func openWith(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("document starts with %v, not %v", token, want)
	}
	return nil
}

// closeDocument reads the end of the container that is open, and the end of the input after it.
func closeDocument(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return closeStream(d)
}

func closeStream(d *json.Decoder) error {
	token, err := d.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%v after the end of the document", token)
}

// elementName is what a subtest about an element is called.
func elementName(index int, raw []byte) string {
	// An element that is not an object has neither field; that is no error here.
	var head struct {
		Name any `json:"name"`
		ID   any `json:"id"`
	}
	_ = json.Unmarshal(raw, &head)
	for _, field := range []any{head.Name, head.ID} {
		if s, ok := field.(string); ok && s != "" {
			return s
		}
	}
	return strconv.Itoa(index)
}
