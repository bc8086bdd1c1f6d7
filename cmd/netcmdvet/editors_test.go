package main_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// blocks returns the code blocks of docs/editors.md that are in a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/editors.md")
	require.NoError(t, err)
	var all []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)\n```").FindAllSubmatch(text, -1) {
		all = append(all, string(m[1]))
	}
	require.NotEmpty(t, all)
	return all
}

// What the editors are told fits what they get.
func TestEditors(t *testing.T) {
	m := newModule(t)
	m.must("go", "generate", "./...")
	m.add("mistakes.txtar")

	var tasks struct {
		Tasks []struct {
			Command string
			Matcher any `json:"problemMatcher"`
		}
	}
	found := false
	for _, block := range blocks(t, "json") {
		require.True(t, json.Valid([]byte(block)), block)
		if strings.Contains(block, `"tasks"`) {
			require.NoError(t, json.Unmarshal([]byte(block), &tasks))
			found = true
		}
	}
	require.True(t, found)

	first := tasks.Tasks[0]
	command := strings.Fields(first.Command)
	_, stderr, code := m.run(command[0], command[1:]...)
	require.Equal(t, 3, code, stderr)
	pattern := first.Matcher.(map[string]any)["pattern"].(map[string]any)
	matcher := regexp.MustCompile(pattern["regexp"].(string))
	var got []string
	for line := range strings.Lines(stderr) {
		match := matcher.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		require.NotNil(t, match, line)
		part := func(name string) string { return match[int(pattern[name].(float64))] }
		require.FileExists(t, part("file"))
		require.NotEmpty(t, part("message"))
		require.NotEmpty(t, part("column"))
		got = append(got, part("file")+":"+part("line"))
	}
	require.Len(t, got, len(m.expected())+1, "the expected findings and one id that is not pinned")

	// The other task leaves nothing of its kind.
	command = strings.Fields(tasks.Tasks[1].Command)
	m.must(command[0], command[1:]...)
	_, stderr, _ = m.run("go", "tool", "netcmdvet", "-cmdid.unpinned", "-cmdid", "./...")
	require.NotContains(t, stderr, "DNET0001")
	require.NotContains(t, stderr, "DNET0002")
}

// The commands that the guide and the manual show are ones that exist.
func TestDocumentedCommands(t *testing.T) {
	m := newModule(t)
	m.must("go", "generate", "./...")
	manual, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	guide, err := os.ReadFile("../../docs/editors.md")
	require.NoError(t, err)
	text := strings.ReplaceAll(string(manual)+string(guide), `\ `, " ") // as Vim has spaces

	var lines []string
	for _, l := range regexp.MustCompile(`go (tool netcmdvet|vet -vettool=\$\(go tool -n netcmdvet\))( -[a-z.=]+)* \./\.\.\.`).FindAllString(text, -1) {
		if !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	require.GreaterOrEqual(t, len(lines), 4, "%q", lines)
	for _, l := range lines {
		words := strings.Fields(strings.ReplaceAll(l, "$(go tool -n netcmdvet)", m.vettool()))
		stdout, stderr, code := m.run(words[0], words[1:]...)
		require.Contains(t, []int{0, 1, 3}, code, l)
		for line := range strings.Lines(stdout + stderr) {
			require.Contains(t, line, "DNET0001", "%s: %s", l, stdout+stderr)
		}
	}
}
