// Package heavy drags in much of the standard library. Little of it concerns the analyzer.
package heavy

import (
	"net/http"
	"strings"
	"text/template"

	"github.com/ariadne-netcode/ariadne/session"
)

var (
	_ http.Client
	_ session.Config
)

//netcode:deterministic
func render(t *template.Template, data map[string]int32) (string, error) {
	var b strings.Builder
	err := t.Execute(&b, data)
	return b.String(), err
}
