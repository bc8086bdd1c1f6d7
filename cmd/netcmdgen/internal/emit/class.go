package emit

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ariadne-netcode/ariadne/internal/directive/layout"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// class is a replicated class to generate for, with the names of what it gets.
type class struct {
	*layout.Class
	name string // of the marked struct
}

func newClass(c *layout.Class) class { return class{c, c.Type.Obj().Name()} }

func (c class) idName() string         { return c.name + "ClassID" }
func (c class) versionName() string    { return c.name + "Version" }
func (c class) hashName() string       { return c.name + "LayoutHash" }
func (c class) layoutsName() string    { return "layoutsOf" + upper(c.name) }
func (c class) className() string      { return c.name + "Class" }
func (c class) historyName() string    { return c.name + "History" }
func (c class) replicaName() string    { return c.name + "Replica" }
func (c class) changesName() string    { return c.name + "Changes" }
func (c class) fieldName(i int) string { return c.name + upper(c.Fields[i].Var.Name()) + "Field" }
func (c class) encodeName(i int) string {
	return "encode" + upper(c.name) + upper(c.Fields[i].Var.Name())
}
func (c class) decodeName(i int) string {
	return "decode" + upper(c.name) + upper(c.Fields[i].Var.Name())
}
func (c class) quantName(i int) string {
	return "codecOf" + upper(c.name) + upper(c.Fields[i].Var.Name())
}
func (c class) guardName() string { return "shapeOf" + upper(c.name) }
func (c class) words() int        { return (len(c.Fields) + 63) / 64 }

// setterName returns the name of the method that sets a field, which is exported if the field is.
func (c class) setterName(i int) string {
	name := c.Fields[i].Var.Name()
	if c.Fields[i].Var.Exported() {
		return "Set" + name
	}
	return "set" + upper(name)
}

func upper(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// names returns what the file declares for the class, in the order in which it does.
func (c class) names() []string {
	names := []string{c.idName(), c.versionName(), c.hashName()}
	for i := range c.Fields {
		names = append(names, c.fieldName(i))
	}
	names = append(names, c.quantNames()...)
	names = append(names, c.layoutsName(), c.className(), c.historyName(), c.replicaName())
	for i := range c.Fields {
		if c.Fields[i].Collection() {
			names = append(names, c.encodeName(i), c.decodeName(i))
		}
	}
	names = append(names, c.changesName())
	if c.hasMore() {
		names = append(names, c.guardName())
	}
	return names
}

// hasMore reports whether the struct has fields that are not replicated. There may be anything in them, locks too.
func (c class) hasMore() bool { return c.Type.Underlying().(*types.Struct).NumFields() > len(c.Fields) }

// quantNames returns the variables that hold the codecs of real numbers.
func (c class) quantNames() []string {
	var names []string
	for i := range c.Fields {
		if isReal(&c.Fields[i].Value) {
			names = append(names, c.quantName(i))
		}
	}
	return names
}

// ClassNames returns the names that a file declares for one of its classes.
func ClassNames(c *layout.Class) []string { return newClass(c).names() }

// The methods that every replica gets, and what every set of changes has besides the fields of its class.
var (
	replicaMethods = []string{"Value", "MarkDirty", "ReplicaClass", "TakeDirty", "WriteReplica", "ReadReplica"}
	changesMembers = []string{"Set", "AppendFields", "AppendBunch", "ParseBunch"}
)

// Reserved returns why a field of a class cannot have its name, or "".
func Reserved(c *layout.Class, field int) string {
	k := newClass(c)
	name := c.Fields[field].Var.Name()
	for i := range c.Fields {
		if i != field && !c.Fields[i].Collection() && k.setterName(i) == name {
			return fmt.Sprintf("is what the method is to be called that sets %s: rename one of the two", c.Fields[i].Var.Name())
		}
	}
	if slices.Contains(replicaMethods, name) || slices.Contains(changesMembers, name) {
		return "has the name of a method of the generated code: give it another one, and the old one to peers with name=" + name + " in its tag"
	}
	return ""
}

func (f *File) classesName() string { return "ReplicatedClasses" + f.Suffix }

func (f *File) classNames() []string {
	names := []string{f.classesName()}
	for _, c := range f.Classes {
		names = append(names, ClassNames(c)...)
	}
	return names
}

// classes writes all of a file of classes.
func (g *generator) classes() {
	slices.SortFunc(g.Classes, func(a, b *layout.Class) int { return strings.Compare(newClass(a).name, newClass(b).name) })
	g.line("")
	g.comment("%s lists %s in their current versions, by the names of their Go types. The caller owns the list.", g.classesName(), g.whichClasses())
	g.line("func %s() []*%s.Class {", g.classesName(), g.replica())
	g.line("return []*%s.Class{", g.replica())
	for _, c := range g.Classes {
		g.line("%s(),", newClass(c).className())
	}
	g.line("}")
	g.line("}")
	for _, c := range g.Classes {
		k := newClass(c)
		g.identity(k)
		g.layouts(k)
		g.replicaType(k)
		g.replicaObject(k)
		for i := range k.Fields {
			if k.Fields[i].Collection() {
				g.itemCodec(k, i)
			}
		}
		g.changesType(k)
		g.wholeGuard(k)
	}
	g.classGuards()
}

func (g *generator) whichClasses() string {
	if g.Suffix == "" {
		return "this package's replicated classes"
	}
	return "the replicated classes of this file"
}

// identity writes the constants by which peers know a class.
func (g *generator) identity(c class) {
	g.line("")
	g.comment("What peers know %s by: its number, and the version and the hash of its layout, which full bunches carry.", c.name)
	g.line("const (")
	g.line("%s uint32 = %d", c.idName(), c.Options.Number)
	g.line("%s uint32 = %d", c.versionName(), c.Options.Version)
	g.line("%s = %q", c.hashName(), hashOf(c, c.Options.Version))
	g.line(")")
	g.line("")
	g.comment("The fields of %s.", c.name)
	g.line("const (")
	for i := range c.Fields {
		if i == 0 {
			g.line("%s = iota", c.fieldName(i))
		} else {
			g.line("%s", c.fieldName(i))
		}
	}
	g.line(")")
}

// hashOf returns the hash of a version of a class, as pins have it.
func hashOf(c class, version uint32) string {
	hash, err := c.Layout(version).Hash()
	if err != nil {
		panic(err) // there are too many fields, and layout.Of refuses them
	}
	return hash.String()
}

// layouts writes the layouts of a class.
func (g *generator) layouts(c class) {
	o := c.Options
	n := int(o.Version-o.Minimum) + 1
	p, q := g.local("p"), g.local("q")
	if names := c.quantNames(); len(names) > 0 {
		g.line("")
		g.comment("The codecs of numbers, and of each coordinate of a vector, in %s. What would be an error here was refused when this was generated.", c.name)
		g.line("var (")
		for i := range c.Fields {
			if f := &c.Fields[i]; isReal(&f.Value) {
				g.line("%s, _ = %s.NewScalar(%s, %s, %d)", c.quantName(i), g.quant(), float(f.Low), float(f.High), f.Per)
			}
		}
		g.line(")")
	}
	g.line("")
	g.comment("%s are the layouts of %s that are accepted, by falling version, with their hashes.", c.layoutsName(), c.name)
	g.line("var %s = func() [%d]*%s.Class {", c.layoutsName(), n, g.replica())
	g.line("%s := []%s.Property{", p, g.schema())
	for i := range c.Fields {
		g.property(&c.Fields[i].Property)
	}
	g.line("}")
	g.line("%s := []%s.Field{", q, g.netpeer())
	for i := range c.Fields {
		f := &c.Fields[i]
		codec := g.codecOf(&f.Value, c.quantName(i))
		if f.Collection() {
			codec = fmt.Sprintf("%s.Collection(%s, %d)", g.netpeer(), codec, f.MaxItems)
		}
		g.line("%s,", codec)
	}
	g.line("}")
	g.line("return [%d]*%s.Class{", n, g.replica())
	for v := o.Version; ; v-- {
		version, fields := fmt.Sprint(v), len(c.Layout(v).Properties)
		part := ""
		if v == o.Version {
			version = c.versionName()
		}
		if fields < len(c.Fields) {
			part = fmt.Sprintf("[:%d]", fields)
		}
		g.line("%s.MustClass(%s.Layout{Class: %s, Version: %s, Properties: %s%s}, %s%[6]s...), // %[8]s",
			g.replica(), g.schema(), c.idName(), version, p, part, q, hashOf(c, v))
		if v == o.Minimum {
			break
		}
	}
	g.line("}")
	g.line("}()")
	g.line("")
	g.comment("%s returns the class of %s in its current version.", c.className(), c.name)
	g.line("func %s() *%s.Class { return %s[0] }", c.className(), g.replica(), c.layoutsName())
	g.line("")
	older := fmt.Sprintf("It is the only one: layouts below version %d are refused.", o.Version)
	if n > 1 {
		older = fmt.Sprintf("Those below version %d are refused.", o.Minimum)
	}
	g.comment("%s returns the versions of the class that are accepted, the current one first. %s The caller owns the list.", c.historyName(), older)
	h := g.local("h")
	g.line("func %s() []*%s.Class {", c.historyName(), g.replica())
	g.line("%s := %s", h, c.layoutsName())
	g.line("return %s[:]", h)
	g.line("}")
}

// property writes an entry of a layout.
func (g *generator) property(p *schema.Property) {
	s := g.schema()
	parts := []string{fmt.Sprintf("Name: %q", p.Name), fmt.Sprintf("Type: %s.%s", s, [...]string{
		schema.Bool: "Bool", schema.Int: "Int", schema.Uint: "Uint", schema.Scalar: "Scalar", schema.Vector3: "Vector3",
		schema.Quat: "Quat", schema.Bytes: "Bytes", schema.Enum: "Enum", schema.Collection: "Collection",
	}[p.Type])}
	if p.Codec != schema.CodecNone {
		parts = append(parts, fmt.Sprintf("Codec: %s.%s", s, [...]string{
			schema.CodecBool: "CodecBool", schema.CodecScalar: "CodecScalar", schema.CodecVector3: "CodecVector3",
			schema.CodecQuat9: "CodecQuat9", schema.CodecQuat10: "CodecQuat10", schema.CodecQuat15: "CodecQuat15",
		}[p.Codec]))
	}
	if p.Condition != schema.Always {
		parts = append(parts, fmt.Sprintf("Condition: %s.%s", s, [...]string{
			schema.OwnerOnly: "OwnerOnly", schema.SkipOwner: "SkipOwner", schema.InitialOnly: "InitialOnly",
			schema.SimulatedOnly: "SimulatedOnly", schema.AutonomousOnly: "AutonomousOnly", schema.Custom: "Custom",
			schema.Never: "Never",
		}[p.Condition]))
	}
	if p.Authority != schema.ServerOnly {
		parts = append(parts, fmt.Sprintf("Authority: %s.ClientOwned", s))
	}
	if low, high, ok := p.Bounds.IntRange(); ok {
		parts = append(parts, fmt.Sprintf("Bounds: %s.IntRange(%d, %d)", s, low, high))
	}
	if low, high, per, ok := p.Bounds.ScalarRange(); ok {
		parts = append(parts, fmt.Sprintf("Bounds: %s.ScalarRange(%s, %s, %d)", s, float(low), float(high), per))
	}
	if n, ok := p.Bounds.MaxLen(); ok {
		parts = append(parts, fmt.Sprintf("Bounds: %s.MaxLen(%d)", s, n))
	}
	if n, ok := p.Bounds.MaxCardinality(); ok {
		parts = append(parts, fmt.Sprintf("Bounds: %s.MaxCardinality(%d)", s, n))
	}
	if p.Push {
		parts = append(parts, "Push: true")
	}
	g.line("{%s},", strings.Join(parts, ", "))
}

// isReal reports whether a value is made of real numbers that are quantised within bounds.
func isReal(v *layout.Value) bool { return v.Kind == schema.Scalar || v.Kind == schema.Vector3 }

// codecOf returns the codec of a value. That of real numbers is in a variable.
func (g *generator) codecOf(v *layout.Value, variable string) string {
	n := g.netpeer()
	switch v.Kind {
	case schema.Bool:
		return n + ".Bool()"
	case schema.Int, schema.Uint, schema.Enum:
		return fmt.Sprintf("%s.Int(%d, %d)", n, v.Min, v.Max)
	case schema.Scalar:
		return fmt.Sprintf("%s.Scalar(%s)", n, variable)
	case schema.Vector3:
		return fmt.Sprintf("%s.Vector(%s.Vector{%s, %[3]s, %[3]s})", n, g.quant(), variable)
	case schema.Quat:
		return fmt.Sprintf("%s.Quat(%s)", n, g.mode(v))
	case schema.Bytes:
		return fmt.Sprintf("%s.Bytes(%d)", n, v.MaxLen)
	}
	panic(fmt.Sprintf("type %v is not one of a value", v.Kind))
}

// float returns the shortest text that stands for v.
func float(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }

// classGuards writes what compiles only as long as the structs and their tags are what they are now.
func (g *generator) classGuards() {
	var list []*types.Named
	var constants []*types.Const
	add := func(t types.Type) {
		if named, ok := types.Unalias(t).(*types.Named); ok && !slices.Contains(list, named) && isKnown(named.Underlying()) {
			list = append(list, named)
		}
	}
	for _, c := range g.Classes {
		if !newClass(c).hasMore() {
			add(c.Type)
		}
		for i := range c.Fields {
			add(c.Fields[i].Type)
			for _, n := range c.Fields[i].Named {
				if !slices.Contains(constants, n) {
					constants = append(constants, n)
				}
			}
		}
	}
	g.guard(list, constants)
}

// wholeGuard writes what compiles only as long as a struct of which not all fields are replicated is what it is now.
// Unlike that of other structs it does not copy one.
func (g *generator) wholeGuard(c class) {
	if u := c.Type.Underlying().(*types.Struct); c.hasMore() && isKnown(u) {
		g.line("")
		g.comment("%s compiles only as long as %s is what it was when this file was written. If it does not, run go generate.", c.guardName(), c.name)
		t := g.local("t")
		g.line("type %s[%s ~%s] struct{}", c.guardName(), t, g.structType(u))
		g.line("")
		g.line("var _ %s[%s]", c.guardName(), c.name)
	}
}

// isKnown reports whether the type checker knows all of a type, as it does not if a field that is none of ours has
// a type that cannot be had.
func isKnown(t types.Type) bool { return !strings.Contains(types.TypeString(t, nil), "invalid type") }
