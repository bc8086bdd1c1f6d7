package web

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// OriginAllowed reports whether the page that makes a request may do so. A request without an Origin header is
// not made by a page, and one whose origin is the host that it asks is always allowed. Any other must match a
// pattern of [path.Match], which is compared without regard to case with the origin's host and port, or, if it
// contains "://", with the whole origin. A malformed pattern matches nothing.
func OriginAllowed(r *http.Request, patterns []string) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	origin := strings.ToLower(origins[0])
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	if u.Host != "" && strings.EqualFold(u.Host, r.Host) {
		return true
	}
	for _, pattern := range patterns {
		subject := u.Host
		if strings.Contains(pattern, "://") {
			subject = origin
		}
		if ok, err := path.Match(strings.ToLower(pattern), subject); ok && err == nil {
			return true
		}
	}
	return false
}
