package negative

import (
	"bytes"
	"io"
	"strings"
	"unicode"
)

//netcode:deterministic
func shout(r io.Reader) (string, error) {
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(r, 1<<10)); err != nil {
		return "", err
	}
	return strings.Map(unicode.ToUpper, strings.TrimSpace(b.String())), nil
}
