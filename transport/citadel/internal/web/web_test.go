package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/internal/web"
)

func TestOriginAllowed(t *testing.T) {
	for _, c := range []struct {
		name     string
		origins  []string
		patterns []string
		want     bool
	}{
		{name: "no page", want: true},
		{name: "same host", origins: []string{"https://play.example.com:7352"}, want: true},
		{name: "same host, other case", origins: []string{"https://PLAY.example.com:7352"}, want: true},
		{name: "same host, other scheme", origins: []string{"http://play.example.com:7352"}, want: true},
		{name: "other port", origins: []string{"https://play.example.com"}},
		{name: "other host", origins: []string{"https://evil.example"}},
		{name: "no host", origins: []string{"null"}},
		{name: "empty", origins: []string{""}},
		{name: "two", origins: []string{"https://play.example.com:7352", "https://evil.example"}, patterns: []string{"*"}},
		{name: "no URL", origins: []string{"https://%zz"}, patterns: []string{"*"}},
		{name: "any host", origins: []string{"https://evil.example"}, patterns: []string{"*"}, want: true},
		{name: "host", origins: []string{"https://game.example"}, patterns: []string{"other.example", "game.example"}, want: true},
		{name: "host, other port", origins: []string{"https://game.example:8080"}, patterns: []string{"game.example"}},
		{name: "subdomain", origins: []string{"https://eu.Game.example"}, patterns: []string{"*.game.EXAMPLE"}, want: true},
		{name: "scheme", origins: []string{"https://game.example"}, patterns: []string{"https://game.example"}, want: true},
		{name: "other scheme", origins: []string{"http://game.example"}, patterns: []string{"https://game.example"}},
		{name: "malformed pattern", origins: []string{"https://game.example"}, patterns: []string{"[", "g[ame.example"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &http.Request{Host: "play.example.com:7352", Header: http.Header{}}
			for _, o := range c.origins {
				r.Header.Add("Origin", o)
			}
			require.Equal(t, c.want, web.OriginAllowed(r, c.patterns))
		})
	}
}
