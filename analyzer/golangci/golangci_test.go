package golangci_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ariadne-netcode/ariadne/analyzer/golangci"
)

// build does with a plugin what golangci-lint does: it finds it by name and gives it the settings from a YAML file.
func build(t *testing.T, settings any) (register.LinterPlugin, error) {
	t.Helper()
	newPlugin, err := register.GetPlugin(golangci.Name)
	require.NoError(t, err)
	return newPlugin(settings)
}

func TestPlugin(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	require.NoError(t, err)
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: dir}, "./game")
	require.NoError(t, err)
	require.Zero(t, packages.PrintErrors(pkgs))

	found := []string{"borrowed", "fused", "DNET0002"}
	for _, c := range []struct {
		settings any
		want     []string
	}{
		{nil, found},
		{map[string]any{}, found},
		{map[string]any{"unpinned": true}, append([]string{"DNET0001"}, found...)},
		{map[string]any{"unpinned": false}, found},
	} {
		p, err := build(t, c.settings)
		require.NoError(t, err)
		require.Equal(t, register.LoadModeTypesInfo, p.GetLoadMode())
		analyzers, err := p.BuildAnalyzers()
		require.NoError(t, err)
		graph, err := checker.Analyze(analyzers, pkgs, nil)
		require.NoError(t, err)
		var got []string
		for _, root := range graph.Roots {
			require.NoError(t, root.Err)
			for _, d := range root.Diagnostics {
				got = append(got, d.Category)
			}
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(c.want))
		require.Equal(t, want, got, "settings %v", c.settings)
	}
}

func TestBadSettings(t *testing.T) {
	for _, settings := range []any{
		map[string]any{"unpined": true},
		map[string]any{"unpinned": "yes"},
		"unpinned",
	} {
		_, err := build(t, settings)
		require.ErrorContains(t, err, "netcmdvet", "%v", settings)
	}
}

// The settings that the documentation shows are understood.
func TestDocumentedSettings(t *testing.T) {
	guide, err := os.ReadFile("../../docs/editors.md")
	require.NoError(t, err)
	found := 0
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(guide, -1) {
		var config struct {
			Linters struct {
				Enable   []string
				Settings struct {
					Custom map[string]struct {
						Type     string
						Settings any
					}
				}
			}
		}
		require.NoError(t, yaml.Unmarshal(block[1], &config))
		if len(config.Linters.Enable) == 0 {
			continue
		}
		found++
		require.Equal(t, []string{golangci.Name}, config.Linters.Enable)
		custom := config.Linters.Settings.Custom[golangci.Name]
		require.Equal(t, "module", custom.Type)
		p, err := build(t, custom.Settings)
		require.NoError(t, err)
		_, err = p.BuildAnalyzers()
		require.NoError(t, err)
	}
	require.Equal(t, 1, found)
}
