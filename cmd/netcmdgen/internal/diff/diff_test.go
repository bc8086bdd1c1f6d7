package diff_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/diff"
)

func TestUnified(t *testing.T) {
	const text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, c := range []struct{ name, before, after, want string }{
		{"equal", text, text, ""},
		{"change", text, strings.Replace(text, "5", "five", 1),
			"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		{"add at the start", text, "0\n" + text, "@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n"},
		{"remove at the end", text, strings.TrimSuffix(text, "9\n"), "@@ -6,4 +6,3 @@\n 6\n 7\n 8\n-9\n"},
		{"two places", "a\n" + text + "b\n", "A\n" + text + "B\n",
			"@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -8,4 +8,4 @@\n 7\n 8\n 9\n-b\n+B\n"},
		{"no newline", "a\nb", "a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want != "" {
				want = "--- a/x.go\n+++ b/x.go\n" + want
			}
			require.Equal(t, want, diff.Unified("x.go", []byte(c.before), []byte(c.after)))
		})
	}
	require.Equal(t, "--- /dev/null\n+++ b/x.go\n@@ -0,0 +1 @@\n+a\n", diff.Unified("x.go", nil, []byte("a\n")))
	require.Equal(t, "--- a/x.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", diff.Unified("x.go", []byte("a\n"), nil))
	require.Equal(t, "--- /dev/null\n+++ b/x.go\n", diff.Unified("x.go", nil, []byte{}))
}

// Applying the difference to the old text gives the new one, and no smaller set of lines would do.
func TestUnifiedApplies(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []string {
		s := make([]string, n)
		for i := range s {
			s[i] = fmt.Sprintf("%c\n", 'a'+rnd.IntN(4))
		}
		return s
	}
	for range 2000 {
		before, after := random(rnd.IntN(20)), random(rnd.IntN(20))
		text := diff.Unified("x", []byte(strings.Join(before, "")), []byte(strings.Join(after, "")))
		got, changes := apply(t, before, text)
		require.Equal(t, strings.Join(after, ""), strings.Join(got, ""), "%s", text)
		require.Equal(t, len(before)+len(after)-2*common(before, after), changes, "%q\n%q\n%s", before, after, text)
	}
}

// common is the length of the longest common subsequence, the slow way.
func common(a, b []string) int {
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				best[i][j] = best[i+1][j+1] + 1
			} else {
				best[i][j] = max(best[i+1][j], best[i][j+1])
			}
		}
	}
	return best[0][0]
}

// apply is patch.
func apply(t *testing.T, before []string, text string) (after []string, changes int) {
	t.Helper()
	at := 0
	for i, line := range strings.SplitAfter(text, "\n") {
		switch {
		case i < 2 || line == "":
		case strings.HasPrefix(line, "@@"):
			var from, n int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d", &from, &n); err != nil {
				_, err := fmt.Sscanf(line, "@@ -%d", &from)
				require.NoError(t, err)
				n = 1
			}
			if n > 0 {
				from--
			}
			after = append(after, before[at:from]...)
			at = from
		case line[0] == '+':
			after = append(after, line[1:])
			changes++
		default:
			require.Equal(t, before[at], line[1:], "%s", text)
			if line[0] == ' ' {
				after = append(after, line[1:])
			} else {
				changes++
			}
			at++
		}
	}
	return append(after, before[at:]...), changes
}

// Long texts that have nothing in common are not compared line by line.
func TestUnifiedLong(t *testing.T) {
	long := func(s string) []byte { return []byte(strings.Repeat(s+"\n", 50_000)) }
	text := diff.Unified("x", append(long("a"), "end\n"...), append(long("b"), "end\n"...))
	require.Contains(t, text, "@@ -1,50001 +1,50001 @@\n-a\n")
	require.True(t, strings.HasSuffix(text, "+b\n end\n"))
}

// The program of that name agrees about the format, where there is one.
func TestPatch(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Log("there is no patch program here; TestUnifiedApplies stands in for it")
		return
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	before, after := "a\nb\nc\nd\ne\nf\ng\nh", "a\nB\nc\nd\ne\nf\ng\nh\ni\n"
	require.NoError(t, os.WriteFile(file, []byte(before), 0o666))
	cmd := exec.Command(patch, "-p1")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff.Unified("x", []byte(before), []byte(after)))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, after, string(got))
}
