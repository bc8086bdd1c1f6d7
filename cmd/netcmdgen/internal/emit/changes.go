package emit

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math/bits"

	"github.com/ariadne-netcode/ariadne/internal/directive/layout"
	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// changes writes the type that holds what a bunch says, with its codec.
type changes struct {
	*generator
	class
	c, e, b, s, h, err string // variables
	w, r, f, u, v, n   string
}

func (g *generator) changesType(k class) {
	x := changes{
		generator: g, class: k,
		c: g.local("c"), e: g.local("e"), b: g.local("b"), s: g.local("s"), h: g.local("h"), err: g.local("err"),
		w: g.local("w"), r: g.local("r"), f: g.local("f"), u: g.local("u"), v: g.local("v"), n: g.local("n"),
	}
	x.declare()
	x.appendFields()
	x.appendBunch()
	x.parseBunch()
}

func (x *changes) declare() {
	x.line("")
	x.comment("%s is what one bunch says about one %s: some of its fields, and of a collection what was removed, added and changed. It is for code that writes and reads bunches itself, such as tools; a program that replicates objects has no need of it.", x.changesName(), x.name)
	x.line("type %s struct {", x.changesName())
	x.line("Set [%d]uint64 // the fields that there are, to be used as a %s.Fields", x.words(), x.replica())
	for i := range x.Fields {
		f := &x.Fields[i]
		typ := x.typ(f.Var.Type())
		switch {
		case f.Collection():
			typ = x.netpeer() + ".CollectionDelta"
		case f.Kind == schema.Bytes:
			typ = "[]byte"
		}
		x.line("%s %s", f.Var.Name(), typ)
	}
	x.line("}")
}

// has begins the code for a field that is in a set.
func (x *changes) has(set string, i int) {
	word, mask := bit(i)
	if i%64 != 0 {
		mask = "(" + mask + ")"
	}
	x.line("if %s[%d]&%s != 0 {", set, word, mask)
}

func (x *changes) here(i int) string { return x.c + "." + x.Fields[i].Var.Name() }

// appendFields writes the method that adds to an encoder.
func (x *changes) appendFields() {
	x.line("")
	x.comment("AppendFields writes the fields with an encoder that has begun, such as the draft of a [%s.Author]. The error is for the encoder's End to return.", x.replica())
	x.line("func (%s *%s) AppendFields(%s *%s.Encoder) {", x.c, x.changesName(), x.e, x.netpeer())
	for i := range x.Fields {
		f := &x.Fields[i]
		value, kind := x.here(i), accessorOf(f.Kind)
		switch {
		case f.Collection():
			value, kind = "&"+value, "Collection"
		case f.Kind != schema.Bytes:
			value = x.plain(&f.Value, value)
		}
		x.has(x.c+".Set", i)
		x.line("%s.%s(%d, %s)", x.e, kind, i, value)
		x.line("}")
	}
	x.line("}")
}

// ours writes the check that a schema is of the class.
func (x *changes) ours(refuse string) {
	list := ""
	for i := range int(x.Options.Version-x.Options.Minimum) + 1 {
		if i > 0 {
			list += ", "
		}
		list += fmt.Sprintf("%s[%d].Schema()", x.layoutsName(), i)
	}
	x.line("switch %s {", x.s)
	x.line("case %s:", list)
	x.line("default:")
	x.line("return %s%s.ErrSchemaMismatch", refuse, x.netpeer())
	x.line("}")
}

// evolved reports whether not all layouts have as many fields.
func (x *changes) evolved() bool { return len(x.Layout(x.Options.Minimum).Properties) < len(x.Fields) }

func (x *changes) bits() string { return x.use("math/bits", "bits") }

func (x *changes) fail(refuse string) {
	x.line("if %s != nil {", x.err)
	x.line("return %s%s", refuse, x.err)
	x.line("}")
}

// failIn is fail for an error that is about a field.
func (x *changes) failIn(i int) {
	x.line("if %s != nil {", x.err)
	x.line("return %s, %s.Errorf(%q, %s)", x.b, x.use("fmt", "fmt"), x.Fields[i].Var.Name()+": %w", x.err)
	x.line("}")
}

// appendBunch writes the method that encodes a bunch.
func (x *changes) appendBunch() {
	x.line("")
	x.comment("AppendBunch appends a bunch of the fields to %s and returns the extended slice. The schema is that of a version of the class, else the error is [%s.ErrSchemaMismatch]. The other errors are those of [%[2]s.Schema.AppendBunch]. They all leave %[1]s as it was.", x.b, x.netpeer())
	x.line("func (%s *%s) AppendBunch(%s []byte, %s *%s.Schema, %s %[5]s.Header) ([]byte, error) {", x.c, x.changesName(), x.b, x.s, x.netpeer(), x.h)
	x.ours(x.b + ", ")
	x.line("var %s %s.Writer", x.w, x.use(bitpackPath, "bitpack"))
	x.line("%s.Reset(%s)", x.w, x.b)
	x.line("if %s := %s.Write(&%s, %s); %[1]s != nil {", x.err, x.h, x.w, x.s)
	x.line("return %s, %s", x.b, x.err)
	x.line("}")
	x.writeMask()
	for i := range x.Fields {
		x.has(x.c+".Set", i)
		x.writeValue(i)
		x.line("}")
	}
	x.line("return %s.Bytes(), nil", x.w)
	x.line("}")
}

// writeMask writes the writing of the mask, whose length is that of the schema.
func (x *changes) writeMask() {
	if x.evolved() {
		i := x.local("i")
		x.line("for %s, %s := range %s.Set {", i, x.f, x.c)
		x.maskWidth(i)
		x.line("if %s>>%s != 0 {", x.f, x.n)
		x.line("return %s, %s.ErrField", x.b, x.netpeer())
		x.line("}")
		x.line("%s.WriteBits(%s.Reverse64(%s)>>(64-%s), %[4]s)", x.w, x.bits(), x.f, x.n)
		x.line("}")
		return
	}
	for word := range x.words() {
		n := min(len(x.Fields)-64*word, 64)
		if n < 64 {
			x.line("if %s.Set[%d]>>%d != 0 {", x.c, word, n)
			x.line("return %s, %s.ErrField", x.b, x.netpeer())
			x.line("}")
		}
		x.line("%s.WriteBits(%s.Reverse64(%s.Set[%d])>>%d, %d)", x.w, x.bits(), x.c, word, 64-n, n)
	}
}

// maskWidth declares the number of bits that a schema has of a word of the mask.
func (x *changes) maskWidth(word string) {
	x.line("%s := uint(min(max(%s.Len()-64*%s, 0), 64))", x.n, x.s, word)
}

// writeValue writes the writing of a field.
func (x *changes) writeValue(i int) {
	f := &x.Fields[i]
	here := x.here(i)
	switch {
	case f.Collection():
		x.line("if %s := %s.Field(%d).WriteCollection(&%s, &%s); %[1]s != nil {", x.err, x.s, i, x.w, here)
		x.line("return %s, %s.Errorf(%q, %s)", x.b, x.use("fmt", "fmt"), f.Var.Name()+": %w", x.err)
		x.line("}")
	case f.Kind == schema.Bytes:
		x.line("if %s := %s.Field(%d).WriteBytes(&%s, %s); %[1]s != nil {", x.err, x.s, i, x.w, here)
		x.line("return %s, %s.Errorf(%q, %s)", x.b, x.use("fmt", "fmt"), f.Var.Name()+": %w", x.err)
		x.line("}")
	case f.Kind == schema.Bool:
		x.line("%s.WriteBool(%s)", x.w, x.plain(&f.Value, here))
	case f.Kind == schema.Quat:
		x.line("%s.WriteBits(%s.Encode(%s), %d)", x.w, x.mode(&f.Value), x.plain(&f.Value, here), f.Mode.Bits())
	case f.Kind == schema.Scalar:
		x.line("%s, %s := %s.Encode(%s)", x.v, x.err, x.quantName(i), x.plain(&f.Value, here))
		x.failIn(i)
		x.line("%s.WriteBits(%s, %d)", x.w, x.v, scalarBits(&f.Value))
	case f.Kind == schema.Vector3:
		x.line("%s := %s", x.v, x.plain(&f.Value, here))
		var codes [3]string
		for axis := range codes {
			codes[axis] = x.local(fmt.Sprint("v", axis))
			x.line("%s, %s := %s.Encode(%s[%d])", codes[axis], x.err, x.quantName(i), x.v, axis)
			x.failIn(i)
		}
		if n := scalarBits(&f.Value); 3*n <= 64 {
			x.line("%s.WriteBits((%s<<%d|%s)<<%[3]d|%[5]s, %[6]d)", x.w, codes[0], n, codes[1], codes[2], 3*n)
		} else {
			for _, code := range codes {
				x.line("%s.WriteBits(%s, %d)", x.w, code, n)
			}
		}
	default:
		if n := intBits(&f.Value); n > 0 {
			x.line("%s.WriteBits(%s, %d)", x.w, x.code(&f.Value, here), n)
		}
	}
}

// parseBunch writes the method that decodes a bunch.
func (x *changes) parseBunch() {
	x.line("")
	x.comment("ParseBunch reads a whole bunch, which it does not retain, and returns its header. The schema is that of a version of the class: for a full bunch the one that its header names, for another that of the object's earlier bunches. A nil budget is a fresh one. The memory of byte strings and collections is used again. After an error, which is one of those of [%s.ParseBunch], nothing is in Set, and the values mean nothing.", x.netpeer())
	x.line("func (%s *%s) ParseBunch(%s []byte, %s *%s.Schema, %s *%[5]s.Budget) (%[7]s %[5]s.Header, %[8]s error) {",
		x.c, x.changesName(), x.b, x.s, x.netpeer(), x.u, x.h, x.err)
	x.line("%s.Set = [%d]uint64{}", x.c, x.words())
	x.ours(x.h + ", ")
	x.line("var %s %s.Reader", x.r, x.use(bitpackPath, "bitpack"))
	x.line("%s.Reset(%s)", x.r, x.b)
	x.line("if %s = %s.Read(&%s); %[1]s != nil {", x.err, x.h, x.r)
	x.line("return %s, %s", x.h, x.err)
	x.line("}")
	x.line("if %s.Full && %[1]s.Identity != %s.Identity() {", x.h, x.s)
	x.line("return %s, %s.ErrSchemaMismatch", x.h, x.netpeer())
	x.line("}")
	if x.charges() {
		fresh := x.local("k")
		x.line("var %s %s.Budget", fresh, x.netpeer())
		x.line("if %s == nil {", x.u)
		x.line("%s = &%s", x.u, fresh)
		x.line("}")
	}
	x.readMask()
	if x.hasCodes() {
		x.line("var %s uint64", x.v)
	}
	for i := range x.Fields {
		x.has(x.f, i)
		x.readValue(i)
		x.line("}")
	}
	x.line("if %s = %s.Finish(); %[1]s == nil {", x.err, x.r)
	x.line("%s.Set = %s", x.c, x.f)
	x.line("}")
	x.line("return %s, %s", x.h, x.err)
	x.line("}")
}

// charges reports whether there are fields that a budget limits.
func (x *changes) charges() bool {
	for i := range x.Fields {
		if x.Fields[i].Collection() || x.Fields[i].Kind == schema.Bytes {
			return true
		}
	}
	return false
}

// hasCodes reports whether there are fields that are read as bits, and not by a method of their own or not at all.
func (x *changes) hasCodes() bool {
	for i := range x.Fields {
		switch f := &x.Fields[i]; {
		case f.Collection(), f.Kind == schema.Bytes:
		case (f.Kind == schema.Int || f.Kind == schema.Uint || f.Kind == schema.Enum) && intBits(&f.Value) == 0:
		default:
			return true
		}
	}
	return false
}

// readMask writes the reading of the mask.
func (x *changes) readMask() {
	x.line("var %s [%d]uint64", x.f, x.words())
	if !x.evolved() {
		for word := range x.words() {
			n := min(len(x.Fields)-64*word, 64)
			x.line("if %s[%d], %s = %s.ReadBits(%d); %[3]s != nil {", x.f, word, x.err, x.r, n)
			x.line("return %s, %s", x.h, x.err)
			x.line("}")
			x.line("%s[%d] = %s.Reverse64(%[1]s[%[2]d] << %[4]d)", x.f, word, x.bits(), 64-n)
		}
		return
	}
	i := x.local("i")
	x.line("for %s := range %s {", i, x.f)
	x.maskWidth(i)
	x.line("if %s[%s], %s = %s.ReadBits(%s); %[3]s != nil {", x.f, i, x.err, x.r, x.n)
	x.line("return %s, %s", x.h, x.err)
	x.line("}")
	x.line("%s[%s] = %s.Reverse64(%[1]s[%[2]s] << (64 - %[4]s))", x.f, i, x.bits(), x.n)
	x.line("}")
}

// readValue writes the reading of a field.
func (x *changes) readValue(i int) {
	f := &x.Fields[i]
	here := x.here(i)
	read := func(n uint) {
		x.line("if %s, %s = %s.ReadBits(%d); %[2]s != nil {", x.v, x.err, x.r, n)
		x.line("return %s, %s", x.h, x.err)
		x.line("}")
	}
	failed := func() {
		x.line("%s != nil {", x.err)
		x.line("return %s, %s", x.h, x.err)
		x.line("}")
	}
	switch {
	case f.Collection():
		x.line("if %s = %s.Field(%d).ReadCollection(&%s, %s, &%s); %[1]s != nil {", x.err, x.s, i, x.r, x.u, here)
		x.line("return %s, %s", x.h, x.err)
		x.line("}")
	case f.Kind == schema.Bytes:
		x.line("if %s, %s = %s.Field(%d).ReadBytes(&%s, %s, %[1]s[:0]); %[2]s != nil {", here, x.err, x.s, i, x.r, x.u)
		x.line("return %s, %s", x.h, x.err)
		x.line("}")
	case f.Kind == schema.Bool:
		read(1)
		x.line("%s = %s != 0", here, x.v)
	case f.Kind == schema.Quat:
		read(f.Mode.Bits())
		x.structOr(f, here, fmt.Sprintf("%s.Decode(%s)", x.mode(&f.Value), x.v))
	case f.Kind == schema.Scalar:
		read(scalarBits(&f.Value))
		n := x.local("x")
		x.line("%s, %s := %s.Decode(%s)", n, x.err, x.quantName(i), x.v)
		x.fail(x.h + ", ")
		x.line("%s = %s", here, x.fromPlain(&f.Value, n))
	case f.Kind == schema.Vector3:
		n := scalarBits(&f.Value)
		codes := [3]string{x.v, x.v, x.v}
		if 3*n <= 64 {
			read(3 * n)
			mask := fmt.Sprintf("&(1<<%d-1)", n)
			codes = [3]string{fmt.Sprintf("%s>>%d", x.v, 2*n), fmt.Sprintf("%s>>%d%s", x.v, n, mask), x.v + mask}
		}
		p := x.local("p")
		x.line("var %s [3]float32", p)
		for axis := range codes {
			if 3*n > 64 {
				read(n)
			}
			x.out.WriteString(fmt.Sprintf("if %s[%d], %s = %s.Decode(%s); ", p, axis, x.err, x.quantName(i), codes[axis]))
			failed()
		}
		x.line("%s = %s", here, x.fromPlain(&f.Value, p))
	default:
		n := intBits(&f.Value)
		if n == 0 {
			x.line("%s = %d", here, f.Min)
			return
		}
		read(n)
		if top := uint64(f.Max) - uint64(f.Min); bits.Len64(top+1) == int(n) { // there are codes above it
			x.line("if %s > %d {", x.v, top)
			x.line("return %s, %s.ErrInvalidCode", x.h, x.quant())
			x.line("}")
		}
		x.line("%s = %s(%s)", here, x.typ(f.Type), offset(x.v, f.Min))
	}
}

// structOr assigns an array to a field that may be a struct in Go.
func (x *changes) structOr(f *layout.Field, here, value string) {
	if isStruct(f.Type) {
		q := x.local("q")
		x.line("%s := %s", q, value)
		value = q
	}
	x.line("%s = %s", here, x.fromPlain(&f.Value, value))
}

// mode returns the codec of a rotation.
func (g *generator) mode(v *layout.Value) string {
	name := map[quant.QuatMode]string{quant.Quat9: "Quat9", quant.Quat10: "Quat10", quant.Quat15: "Quat15"}[v.Mode]
	return g.quant() + "." + name
}

// intBits returns the width of the code of an integer.
func intBits(v *layout.Value) uint { return uint(bits.Len64(uint64(v.Max) - uint64(v.Min))) }

// scalarBits returns the width of the code of a number.
func scalarBits(v *layout.Value) uint {
	q, err := quant.NewScalar(v.Low, v.High, v.Per)
	if err != nil {
		panic(err) // layout.Of refuses it
	}
	return q.Bits()
}

// code returns the code of an integer, saturated to its bounds where its type lets it be out of them.
func (g *generator) code(v *layout.Value, expr string) string {
	s := &shape.Shape{Type: v.Type}
	low, high := s.Bounds()
	if constant.Compare(low, token.LSS, constant.MakeInt64(v.Min)) {
		expr = fmt.Sprintf("max(%s, %d)", expr, v.Min)
	}
	if constant.Compare(constant.MakeInt64(v.Max), token.LSS, high) {
		expr = fmt.Sprintf("min(%s, %d)", expr, v.Max)
	}
	if !is(v.Type, types.Uint64) {
		expr = fmt.Sprintf("uint64(%s)", expr)
	}
	return offset(expr, -v.Min)
}

// offset adds a constant to a number of 64 bits, modulo their range.
func offset(expr string, by int64) string {
	switch {
	case by > 0:
		return fmt.Sprintf("%s+%d", expr, by)
	case by < 0:
		return fmt.Sprintf("%s-%d", expr, -uint64(by))
	}
	return expr
}
