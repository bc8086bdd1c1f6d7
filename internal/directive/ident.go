package directive

import (
	"strings"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

// FullName returns the full Go name of a type that is declared at the top level of a package: its import path, a
// dot and its name, or "main." and its name if the package is a command. This is what the running program calls
// the type (see [registry.IDOf]), with one exception: while the tests of a command run, the command has an import
// path. The name from here is the one to keep.
//
// pkgPath may carry the suffix by which the go command tells the test variants of a package apart. The path of an
// external test package ends in "_test".
func FullName(pkgPath, pkgName, typeName string) string {
	pkgPath, _, _ = strings.Cut(pkgPath, " ")
	if pkgName == "main" {
		pkgPath = "main"
	}
	return pkgPath + "." + typeName
}

// Resolve returns the id of the type with these options and this full Go name: the pinned one, or the hash of
// the name that the options give, or else of the Go name.
func (o Options) Resolve(fullName string) netcode.TypeID {
	if o.Pinned {
		return o.ID
	}
	return registry.HashName(o.Label(fullName))
}

// Label returns the name that the type with these options and this full Go name goes by.
func (o Options) Label(fullName string) string {
	if o.Name != "" {
		return o.Name
	}
	return fullName
}
