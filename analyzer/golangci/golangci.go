// Package golangci makes Ariadne's analyzers a module plugin of golangci-lint v2, under the name netcmdvet. It is a
// module of its own, so that nobody else depends on golangci-lint's.
//
// Build a golangci-lint that has the plugin with this .custom-gcl.yml and the command `golangci-lint custom`:
//
//	version: v2.15.0
//	plugins:
//	  - module: github.com/ariadne-netcode/ariadne/analyzer/golangci
//	    version: latest
//
// and switch it on in .golangci.yml:
//
//	version: "2"
//	linters:
//	  enable: [netcmdvet]
//	  settings:
//	    custom:
//	      netcmdvet:
//	        type: module
//	        settings:
//	          unpinned: true # report ids that follow from names (DNET0001)
//
// Editors that run golangci-lint then show what netcmdvet finds: see docs/editors.md.
package golangci

import (
	"fmt"
	"strconv"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/ariadne-netcode/ariadne/analyzer"
	"github.com/ariadne-netcode/ariadne/analyzer/cmdid"
)

// Name is what the plugin is called in .golangci.yml.
const Name = "netcmdvet"

func init() { register.Plugin(Name, New) }

// Settings are what .golangci.yml may say under linters.settings.custom.netcmdvet.settings.
type Settings struct {
	// Unpinned reports ids that follow from the names of their types, like the flag -cmdid.unpinned.
	Unpinned bool `json:"unpinned"`
}

// New returns the plugin with its settings, which are decoded JSON. Unknown settings are an error. Analyzers have one
// set of flags per program, so the settings of the last plugin count.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Name, err)
	}
	return plugin{s}, nil
}

type plugin struct{ settings Settings }

// BuildAnalyzers implements [register.LinterPlugin].
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	if err := cmdid.Analyzer.Flags.Set("unpinned", strconv.FormatBool(p.settings.Unpinned)); err != nil {
		return nil, fmt.Errorf("%s: %w", Name, err)
	}
	return analyzer.Suite(), nil
}

// GetLoadMode implements [register.LinterPlugin].
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
