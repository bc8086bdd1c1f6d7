package source

import (
	"go/build"
	"go/build/constraint"
	"math/bits"
	"os"
	"runtime"
	"slices"
	"strings"
)

// platforms are those that the go command builds for, the usual ones first.
var platforms = strings.Fields(`
	linux/amd64 darwin/arm64 windows/amd64 js/wasm linux/arm64 darwin/amd64 windows/arm64 linux/386 linux/arm
	freebsd/amd64 android/arm64 ios/arm64 wasip1/wasm netbsd/amd64 openbsd/amd64 aix/ppc64 android/386 android/amd64
	android/arm dragonfly/amd64 freebsd/386 freebsd/arm freebsd/arm64 illumos/amd64 ios/amd64 linux/loong64 linux/mips
	linux/mips64 linux/mips64le linux/mipsle linux/ppc64 linux/ppc64le linux/riscv64 linux/s390x netbsd/386 netbsd/arm
	netbsd/arm64 openbsd/386 openbsd/arm openbsd/arm64 openbsd/ppc64 openbsd/riscv64 plan9/386 plan9/amd64 plan9/arm
	solaris/amd64 windows/386`)

var systems, architectures = func() (systems, architectures map[string]bool) {
	systems, architectures = map[string]bool{}, map[string]bool{}
	for _, p := range platforms {
		goos, arch, _ := strings.Cut(p, "/")
		systems[goos], architectures[arch] = true, true
	}
	// Reserved in file names, though nothing is built for them.
	for _, s := range strings.Fields("hurd nacl zos") {
		systems[s] = true
	}
	for _, a := range strings.Fields("amd64p32 arm64be armbe mips64p32 mips64p32le ppc riscv s390 sparc sparc64") {
		architectures[a] = true
	}
	return systems, architectures
}()

// A system that a tag stands for besides its own.
var alsoKnownAs = map[string]string{"android": "linux", "illumos": "solaris", "ios": "darwin"}

// Setup is a set of circumstances under which a package is built.
type Setup struct {
	GOOS, GOARCH string
	Cgo          bool
	Tags         []string // sorted
}

// Home is the set-up in which the tool itself is asked to work, with some tags.
func Home(tags []string) Setup {
	s := Setup{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Tags: slices.Compact(slices.Sorted(slices.Values(tags)))}
	// The go command sets these for generators when it builds for another machine.
	if v := os.Getenv("GOOS"); v != "" {
		s.GOOS = v
	}
	if v := os.Getenv("GOARCH"); v != "" {
		s.GOARCH = v
	}
	return s
}

// matches reports whether a tag holds in s.
func (s Setup) matches(tag string) bool {
	switch {
	case tag == "cgo":
		return s.Cgo
	case tag == "gc", tag == s.GOOS, tag == s.GOARCH, tag == alsoKnownAs[s.GOOS]:
		return true
	case tag == "unix":
		return !slices.Contains([]string{"windows", "plan9", "js", "wasip1"}, s.GOOS)
	case slices.Contains(build.Default.ReleaseTags, tag):
		return true
	}
	return slices.Contains(s.Tags, tag)
}

// fixedTag reports whether a tag is none that can be chosen with -tags.
func fixedTag(tag string) bool {
	return tag == "cgo" || tag == "gc" || tag == "gccgo" || tag == "unix" || systems[tag] || architectures[tag] ||
		slices.Contains(build.Default.ReleaseTags, tag)
}

// maxTags bounds the search of [Setup.Satisfy], which is exponential.
const maxTags = 10

// Satisfy returns the set-up in which x holds that differs least from s, or false if there is none.
func (s Setup) Satisfy(x constraint.Expr) (Setup, bool) {
	if x == nil {
		return s, true
	}
	var free []string
	var visit func(constraint.Expr)
	visit = func(x constraint.Expr) {
		switch x := x.(type) {
		case *constraint.TagExpr:
			if !fixedTag(x.Tag) && !slices.Contains(free, x.Tag) {
				free = append(free, x.Tag)
			}
		case *constraint.NotExpr:
			visit(x.X)
		case *constraint.AndExpr:
			visit(x.X)
			visit(x.Y)
		case *constraint.OrExpr:
			visit(x.X)
			visit(x.Y)
		}
	}
	visit(x)
	free = free[:min(len(free), maxTags)]
	changes := make([]uint, 1<<len(free)) // sets of tags to be turned over, small ones first
	for i := range changes {
		changes[i] = uint(i)
	}
	slices.SortStableFunc(changes, func(a, b uint) int { return bits.OnesCount(a) - bits.OnesCount(b) })

	for _, platform := range append([]string{s.GOOS + "/" + s.GOARCH}, platforms...) {
		for _, cgo := range []bool{s.Cgo, !s.Cgo} {
			for _, change := range changes {
				try := Setup{Cgo: cgo}
				try.GOOS, try.GOARCH, _ = strings.Cut(platform, "/")
				for i, tag := range free {
					if slices.Contains(s.Tags, tag) != (change>>i&1 == 1) {
						try.Tags = append(try.Tags, tag)
					}
				}
				for _, tag := range s.Tags {
					if !slices.Contains(free, tag) {
						try.Tags = append(try.Tags, tag)
					}
				}
				slices.Sort(try.Tags)
				if x.Eval(try.matches) {
					return try, true
				}
			}
		}
	}
	return Setup{}, false
}

// Compatible reports whether there are circumstances in which both hold.
func Compatible(a, b constraint.Expr) bool {
	_, ok := Home(nil).Satisfy(and(a, b))
	return ok
}

// and returns the conjunction of expressions of which any may be nil, which holds always.
func and(a, b constraint.Expr) constraint.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &constraint.AndExpr{X: a, Y: b}
}

// nameConstraint returns what the name of a file says about when it is built.
func nameConstraint(name string) constraint.Expr {
	name, _, _ = strings.Cut(name, ".")
	_, name, ok := strings.Cut(name, "_")
	if !ok {
		return nil
	}
	words := strings.Split(name, "_")
	if n := len(words); words[n-1] == "test" {
		words = words[:n-1]
	}
	n := len(words)
	switch {
	case n >= 2 && systems[words[n-2]] && architectures[words[n-1]]:
		return and(&constraint.TagExpr{Tag: words[n-2]}, &constraint.TagExpr{Tag: words[n-1]})
	case n >= 1 && (systems[words[n-1]] || architectures[words[n-1]]):
		return &constraint.TagExpr{Tag: words[n-1]}
	}
	return nil
}
