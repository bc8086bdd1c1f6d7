package doc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/analyzer/internal/doc"
)

func TestOf(t *testing.T) {
	require.Equal(t, "check for crumbs\n\nSee below.\n\n# More\n\nText.", doc.Of(`
// Package crumb is about crumbs.
//
// # Analyzer crumb
//
// crumb: check for crumbs
//
// See below.
//
// # More
//
// Text.
package crumb
`, "crumb"))
}

func TestOfMissing(t *testing.T) {
	for _, source := range []string{
		"",
		"// Package x has nothing to say.\npackage x\n",
		"// Package x has the wrong title.\n//\n// # Analyzer x\n//\n// about x\npackage x\n",
	} {
		require.Panics(t, func() { doc.Of(source, "x") }, "%q", source)
	}
}
