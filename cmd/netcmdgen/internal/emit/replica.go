package emit

import (
	"fmt"
	"go/types"

	"github.com/ariadne-netcode/ariadne/internal/directive/layout"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// memory is what the fields of a replica are called.
type memory struct {
	value   string // the marked struct
	clean   string // the fields that have not changed
	scratch string // strings as bytes
}

// memoryOf returns names that are none of the methods of the replica.
func (c class) memoryOf() memory {
	free := func(name string) string {
		for i := range c.Fields {
			if c.Fields[i].Var.Name() == name || c.setterName(i) == name {
				name += "_"
			}
		}
		return name
	}
	return memory{free("value"), free("clean"), free("scratch")}
}

// hasStrings reports whether a field is a byte string that is a string in Go.
func (c class) hasStrings() bool {
	for i := range c.Fields {
		if !c.Fields[i].Collection() && isString(&c.Fields[i].Value) {
			return true
		}
	}
	return false
}

func isString(v *layout.Value) bool {
	b, ok := v.Type.Underlying().(*types.Basic)
	return v.Kind == schema.Bytes && ok && b.Kind() == types.String
}

// bit returns the word of a set of fields that a field is in, and its bit there.
func bit(i int) (word int, mask string) {
	if i%64 == 0 {
		return i / 64, "1"
	}
	return i / 64, fmt.Sprintf("1<<%d", i%64)
}

// replicaType writes the type that holds a marked struct, with its accessors and setters.
func (g *generator) replicaType(c class) {
	m := c.memoryOf()
	r, v := g.local("r"), g.local("v")
	g.line("")
	g.comment("%s holds one %s and knows which of its fields have changed, for replication: it is a [%s.Object]. A new one counts as changed in all of them. It is not safe for concurrent use.", c.replicaName(), c.name, g.replica())
	g.line("type %s struct {", c.replicaName())
	g.line("%s %s", m.value, c.name)
	g.line("%s [%d]uint64", m.clean, c.words())
	if c.hasStrings() {
		g.line("%s []byte", m.scratch)
	}
	g.line("}")
	g.line("")
	g.line("var _ %s.Object = (*%s)(nil)", g.replica(), c.replicaName())
	g.line("")
	g.comment("Value returns the struct itself, to be read as a whole and for its fields that are not replicated. Whoever changes another one by it says so with MarkDirty.")
	g.line("func (%s *%s) Value() *%s { return &%s.%s }", r, c.replicaName(), c.name, r, m.value)
	for i := range c.Fields {
		f := &c.Fields[i]
		name := f.Var.Name()
		here := fmt.Sprintf("%s.%s.%s", r, m.value, name)
		typ := g.typ(f.Var.Type())
		g.line("")
		if f.Collection() {
			g.comment("%s returns the collection, which notices its own changes.", name)
			g.line("func (%s *%s) %s() *%s { return &%s }", r, c.replicaName(), name, typ, here)
			continue
		}
		isSlice := f.Kind == schema.Bytes && !isString(&f.Value)
		if isSlice {
			g.comment("%s returns the field. The bytes must not be changed, and are valid until the field is set or read.", name)
		} else {
			g.comment("%s returns the field.", name)
		}
		g.line("func (%s *%s) %s() %s { return %s }", r, c.replicaName(), name, typ, here)
		g.line("")
		g.comment("%s sets the field%s", c.setterName(i), g.limits(&f.Value, isSlice))
		g.line("func (%s *%s) %s(%s %s) {", r, c.replicaName(), c.setterName(i), v, typ)
		word, mask := bit(i)
		if isSlice {
			g.line("if !%s.Equal(%s, %s) {", g.use("bytes", "bytes"), here, v)
			g.line("%s = append(%[1]s[:0], %s...)", here, v)
		} else {
			g.line("if %s != %s {", here, v)
			g.line("%s = %s", here, v)
		}
		g.line("%s.%s[%d] &^= %s", r, m.clean, word, mask)
		g.line("}")
		g.line("}")
	}
}

// limits says what happens to a value that is out of bounds.
func (g *generator) limits(v *layout.Value, isSlice bool) string {
	copied := ""
	if isSlice {
		copied = " to a copy of it"
	}
	switch v.Kind {
	case schema.Int, schema.Uint, schema.Enum:
		return fmt.Sprintf("; peers get at least %d and at most %d.", v.Min, v.Max)
	case schema.Scalar:
		return fmt.Sprintf("; peers get at least %s and at most %s, in steps of 1/%d. NaN cannot be replicated.", float(v.Low), float(v.High), v.Per)
	case schema.Vector3:
		return fmt.Sprintf("; peers get coordinates of at least %s and at most %s, in steps of 1/%d. NaN cannot be replicated.", float(v.Low), float(v.High), v.Per)
	case schema.Quat:
		return "; peers get a rotation near to it, of length one. NaN cannot be replicated."
	case schema.Bytes:
		return fmt.Sprintf("%s. More than %d bytes cannot be replicated.", copied, v.MaxLen)
	}
	return "."
}

// replicaObject writes the methods of a replica by which the runtime knows it.
func (g *generator) replicaObject(c class) {
	m := c.memoryOf()
	r, f, s, i := g.local("r"), g.local("f"), g.local("s"), g.local("i")
	set := fmt.Sprintf("%s.Fields", g.replica())
	g.line("")
	g.comment("MarkDirty says that a field has changed, such as %s, in another way than by its setter.", c.fieldName(0))
	g.line("func (%s *%s) MarkDirty(%s int) { %s(%[1]s.%[5]s[:]).Remove(%[3]s) }", r, c.replicaName(), i, set, m.clean)
	g.line("")
	g.comment("ReplicaClass returns %s().", c.className())
	g.line("func (*%s) ReplicaClass() *%s.Class { return %s[0] }", c.replicaName(), g.replica(), c.layoutsName())
	g.line("")
	g.comment("TakeDirty adds to %s what has changed since it was last called.", f)
	g.line("func (%s *%s) TakeDirty(%s %s) {", r, c.replicaName(), f, set)
	for word := range c.words() {
		var all uint64
		for j := 64 * word; j < min(len(c.Fields), 64*word+64); j++ {
			if !c.Fields[j].Collection() {
				all |= 1 << (j % 64)
			}
		}
		if all != 0 {
			g.line("%s[%d] |= %#x &^ %s.%s[%[2]d]", f, word, all, r, m.clean)
			g.line("%s.%s[%d] |= %#x", r, m.clean, word, all)
		}
	}
	for j := range c.Fields {
		if c.Fields[j].Collection() {
			g.line("if %s.%s.%s.Dirty() {", r, m.value, c.Fields[j].Var.Name())
			word, mask := bit(j)
			g.line("%s[%d] |= %s", f, word, mask)
			g.line("}")
		}
	}
	g.line("}")

	g.line("")
	g.comment("WriteReplica writes the codes of the fields %s into %s, and returns the first error.", f, s)
	g.line("func (%s *%s) WriteReplica(%s *%s.State, %s %s) error {", r, c.replicaName(), s, g.replica(), f, set)
	for j := range c.Fields {
		here := fmt.Sprintf("%s.%s.%s", r, m.value, c.Fields[j].Var.Name())
		g.line("if %s.Has(%d) {", f, j)
		g.writeField(c, j, here, m)
		g.line("}")
	}
	g.line("return nil")
	g.line("}")

	g.line("")
	g.comment("ReadReplica takes the fields %s from %s. They do not count as changed.", f, s)
	g.line("func (%s *%s) ReadReplica(%s *%s.State, %s %s) {", r, c.replicaName(), s, g.replica(), f, set)
	for j := range c.Fields {
		here := fmt.Sprintf("%s.%s.%s", r, m.value, c.Fields[j].Var.Name())
		g.line("if %s.Has(%d) {", f, j)
		g.readField(c, j, here)
		g.line("}")
	}
	g.line("}")
}

// writeField writes the writing of a field into a state.
func (g *generator) writeField(c class, i int, here string, m memory) {
	f := &c.Fields[i]
	r, s, err := g.local("r"), g.local("s"), g.local("err")
	call := ""
	switch {
	case f.Collection():
		call = fmt.Sprintf("%s.Write(%s, %d, %s)", here, s, i, c.encodeName(i))
	case isString(&f.Value):
		g.line("%s.%s = append(%[1]s.%[2]s[:0], %s...)", r, m.scratch, here)
		call = fmt.Sprintf("%s.SetBytes(%d, %s.%s)", s, i, r, m.scratch)
	default:
		call = fmt.Sprintf("%s.Set%s(%d, %s)", s, accessorOf(f.Kind), i, g.plain(&f.Value, here))
	}
	g.line("if %s := %s; %[1]s != nil {", err, call)
	g.line("return %s", err)
	g.line("}")
}

// readField writes the reading of a field from a state.
func (g *generator) readField(c class, i int, here string) {
	f := &c.Fields[i]
	s, v := g.local("s"), g.local("v")
	get := fmt.Sprintf("%s.%s(%d)", s, accessorOf(f.Kind), i)
	switch {
	case f.Collection():
		g.line("%s.Read(%s, %d, %s)", here, s, i, c.decodeName(i))
	case isString(&f.Value):
		g.line("if %s := %s; string(%[1]s) != string(%[3]s) {", v, get, here)
		g.line("%s = %s(%s)", here, g.typ(f.Type), v)
		g.line("}")
	case f.Kind == schema.Bytes:
		g.line("%s = append(%[1]s[:0], %s...)", here, get)
	case isStruct(f.Type):
		g.line("%s := %s", v, get)
		g.line("%s = %s", here, g.fromPlain(&f.Value, v))
	default:
		g.line("%s = %s", here, g.fromPlain(&f.Value, get))
	}
}

// accessorOf returns the end of the name of the methods of netpeer and replica that are about a kind of value.
func accessorOf(t schema.Type) string {
	switch t {
	case schema.Bool:
		return "Bool"
	case schema.Int, schema.Uint, schema.Enum:
		return "Int"
	case schema.Scalar:
		return "Scalar"
	case schema.Vector3:
		return "Vector"
	case schema.Quat:
		return "Quat"
	case schema.Bytes:
		return "Bytes"
	}
	return "Collection"
}

func isStruct(t types.Type) bool { _, ok := t.Underlying().(*types.Struct); return ok }

// plain returns a value, other than a string, as netpeer and replica take it.
func (g *generator) plain(v *layout.Value, expr string) string {
	convert := func(kind types.BasicKind, to string) string {
		if is(v.Type, kind) {
			return expr
		}
		return fmt.Sprintf("%s(%s)", to, expr)
	}
	switch v.Kind {
	case schema.Bool:
		return convert(types.Bool, "bool")
	case schema.Int, schema.Uint, schema.Enum:
		if b := v.Type.Underlying().(*types.Basic); b.Kind() == types.Uint64 { // above all bounds is not below them
			return fmt.Sprintf("int64(min(%s, 1<<63-1))", expr)
		}
		return convert(types.Int64, "int64")
	case schema.Scalar:
		return convert(types.Float32, "float32")
	case schema.Vector3, schema.Quat:
		s, ok := v.Type.Underlying().(*types.Struct)
		if !ok {
			return expr // an array is assignable
		}
		list := ""
		for i := range s.NumFields() {
			if i > 0 {
				list += ", "
			}
			list += expr + "." + s.Field(i).Name()
		}
		return fmt.Sprintf("[%d]float32{%s}", s.NumFields(), list)
	}
	return expr
}

// fromPlain returns the inverse of plain. Of a value that is a struct in Go, expr is a variable.
func (g *generator) fromPlain(v *layout.Value, expr string) string {
	convert := func(kind types.BasicKind) string {
		if is(v.Type, kind) {
			return expr
		}
		return fmt.Sprintf("%s(%s)", g.typ(v.Type), expr)
	}
	switch v.Kind {
	case schema.Bool:
		return convert(types.Bool)
	case schema.Int, schema.Uint, schema.Enum:
		return convert(types.Int64)
	case schema.Scalar:
		return convert(types.Float32)
	case schema.Vector3, schema.Quat:
		s, ok := v.Type.Underlying().(*types.Struct)
		if !ok {
			return expr
		}
		list := ""
		for i := range s.NumFields() {
			if i > 0 {
				list += ", "
			}
			list += fmt.Sprintf("%s: %s[%d]", s.Field(i).Name(), expr, i)
		}
		return fmt.Sprintf("%s{%s}", g.typ(v.Type), list)
	}
	return fmt.Sprintf("%s(%s)", g.typ(v.Type), expr)
}

// itemCodec writes the functions by which the elements of a collection become values and come back.
func (g *generator) itemCodec(c class, i int) {
	f := &c.Fields[i]
	k, v, x := g.local("f"), g.local("v"), g.local("x")
	typ, kind := g.typ(f.Type), accessorOf(f.Kind)
	value := g.plain(&f.Value, v)
	if isString(&f.Value) {
		value = fmt.Sprintf("[]byte(%s)", v)
	}
	g.line("")
	g.line("func %s(%s *%s.Field, %s %s) (%[3]s.Value, error) {", c.encodeName(i), k, g.netpeer(), v, typ)
	g.line("return %s.%s(%s)", k, kind, value)
	g.line("}")
	g.line("")
	get := fmt.Sprintf("%s.%s(%s)", v, kind, k)
	if f.Kind == schema.Bool || f.Kind == schema.Bytes {
		get = fmt.Sprintf("%s.%s()", v, kind)
	}
	g.line("func %s(%s *%s.Field, %s *%[3]s.Value) %[5]s {", c.decodeName(i), k, g.netpeer(), v, typ)
	g.line("%s, _ := %s // the value is one of the field", x, get)
	switch {
	case f.Kind == schema.Bytes && !isString(&f.Value):
		g.line("return %s.Clone(%s)", g.use("bytes", "bytes"), x)
	default:
		g.line("return %s", g.fromPlain(&f.Value, x))
	}
	g.line("}")
}
