package layout

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

var typesByName = map[string]schema.Type{
	"bool": schema.Bool, "int": schema.Int, "uint": schema.Uint, "enum": schema.Enum, "scalar": schema.Scalar,
	"vector3": schema.Vector3, "quat": schema.Quat, "bytes": schema.Bytes, "collection": schema.Collection,
}

var conditions = map[string]schema.Condition{
	"always": schema.Always, "owneronly": schema.OwnerOnly, "skipowner": schema.SkipOwner,
	"initialonly": schema.InitialOnly, "simulatedonly": schema.SimulatedOnly, "autonomousonly": schema.AutonomousOnly,
	"custom": schema.Custom, "never": schema.Never,
}

var owners = map[string]schema.Authority{"server": schema.ServerOnly, "client": schema.ClientOwned}

// field reads a replicated field, or says what is wrong with it.
func (r *reader) field(v *types.Var, t tag) (f Field, complaint string) {
	f.Var = v
	f.Property = schema.Property{Name: v.Name(), Type: typesByName[t.kind], Push: true}
	if name, ok := t.options["name"]; ok {
		f.Property.Name = name
	}
	if f.Property.Condition, complaint = choose(&t, "cond", conditions); complaint != "" {
		return f, complaint
	}
	if f.Property.Authority, complaint = choose(&t, "owner", owners); complaint != "" {
		return f, complaint
	}
	if f.Since, complaint = t.number("since", math.MaxUint32, 1); complaint != "" {
		return f, complaint
	}
	typ := types.Unalias(v.Type())
	if typ == types.Typ[types.Invalid] {
		return f, r.unknown(v.Pos())
	}
	if t.kind == "collection" {
		complaint = r.collection(&f, typ, t)
	} else if f.Value, complaint = r.value(typ, t); complaint == "" {
		f.Property.Codec, f.Property.Bounds = f.Value.schema()
	}
	return f, complaint
}

// unknown says what the type checker says about a field whose type it does not know.
func (r *reader) unknown(pos token.Pos) string {
	if r.cfg.Explain != nil {
		if why := r.cfg.Explain(pos); why != "" {
			return "has a type that is not known: " + why
		}
	}
	return "has a type that is not known"
}

// collection reads the elements of a collection.
func (r *reader) collection(f *Field, typ types.Type, t tag) (complaint string) {
	elem, complaint := r.element(typ)
	if complaint != "" {
		return complaint
	}
	kind, ok := t.options["of"]
	allowed, known := options[kind]
	switch {
	case !ok:
		return "is a collection and does not say of what: write of=int, or another kind, in its tag"
	case !known || kind == "collection":
		return fmt.Sprintf("has of=%s in its tag: a collection is of elements of the kinds %s", kind, strings.TrimSuffix(kinds, " and collection"))
	case t.options["items"] == "":
		return "does not say how many elements there may be: write items=64, or another number, in its tag"
	}
	if f.MaxItems, complaint = t.number("items", netpeer.MaxItems, 0); complaint != "" {
		return complaint
	}
	for _, name := range options["collection"][2:] { // what is for elements of some kind
		if t.options[name] != "" && !slices.Contains(allowed, name) {
			return fmt.Sprintf("has %s in its tag, which elements of kind %s do not have", name, kind)
		}
	}
	if f.Value, complaint = r.value(elem, tag{kind, t.options}); complaint != "" {
		return complaint
	}
	f.Property.Codec, _ = f.Value.schema()
	f.Property.Bounds = schema.MaxCardinality(f.MaxItems)
	return ""
}

// schema returns the codec and the bounds by which a layout knows the value.
func (v *Value) schema() (schema.CodecID, schema.Bounds) {
	switch v.Kind {
	case schema.Bool:
		return schema.CodecBool, schema.NoBounds
	case schema.Int, schema.Uint, schema.Enum:
		return schema.CodecNone, schema.IntRange(v.Min, v.Max)
	case schema.Scalar:
		return schema.CodecScalar, schema.ScalarRange(v.Low, v.High, v.Per)
	case schema.Vector3:
		return schema.CodecVector3, schema.ScalarRange(v.Low, v.High, v.Per)
	case schema.Quat:
		return map[quant.QuatMode]schema.CodecID{
			quant.Quat9: schema.CodecQuat9, quant.Quat10: schema.CodecQuat10, quant.Quat15: schema.CodecQuat15,
		}[v.Mode], schema.NoBounds
	case schema.Bytes:
		return schema.CodecNone, schema.MaxLen(v.MaxLen)
	}
	panic(fmt.Sprintf("a value has no type %v", v.Kind))
}

// value reads how a value of a Go type is sent, or says what is wrong with it.
func (r *reader) value(typ types.Type, t tag) (v Value, complaint string) {
	v.Kind, v.Type = typesByName[t.kind], typ
	switch v.Kind {
	case schema.Bool:
		if b, ok := typ.Underlying().(*types.Basic); !ok || b.Kind() != types.Bool {
			return v, r.wrongType(typ, t.kind, "bool")
		}
	case schema.Int, schema.Uint, schema.Enum:
		complaint = r.integer(&v, t)
	case schema.Scalar:
		if b, ok := typ.Underlying().(*types.Basic); !ok || b.Kind() != types.Float32 {
			return v, r.wrongType(typ, t.kind, "float32")
		}
		complaint = r.reals(&v, t)
	case schema.Vector3:
		if !isFloats(typ, "xyz") {
			return v, r.wrongType(typ, t.kind, "[3]float32, or a struct of the float32 fields X, Y and Z")
		}
		complaint = r.reals(&v, t)
	case schema.Quat:
		if !isFloats(typ, "xyzw") {
			return v, r.wrongType(typ, t.kind, "[4]float32, or a struct of the float32 fields X, Y, Z and W, in this order")
		}
		v.Mode, complaint = quant.Quat10, ""
		if _, given := t.options["bits"]; given {
			v.Mode, complaint = choose(&t, "bits", map[string]quant.QuatMode{"9": quant.Quat9, "10": quant.Quat10, "15": quant.Quat15})
		}
	case schema.Bytes:
		if !isBytes(typ) {
			return v, r.wrongType(typ, t.kind, "[]byte or string")
		}
		if _, given := t.options["max"]; !given {
			return v, "does not say how long it may be: write max=64, or another number of bytes, in its tag"
		}
		v.MaxLen, complaint = t.number("max", netpeer.MaxBytes, 0)
	}
	return v, complaint
}

func (r *reader) wrongType(typ types.Type, kind, want string) string {
	return fmt.Sprintf("is %s, and a field of kind %s is %s", r.name(typ), kind, want)
}

// name returns a type as it is written in the package.
func (r *reader) name(typ types.Type) string {
	return types.TypeString(typ, func(p *types.Package) string {
		if p == r.pkg {
			return ""
		}
		return p.Name()
	})
}

// isFloats reports whether a type is as many floats as there are letters, in an array or by these names in a struct.
func isFloats(typ types.Type, letters string) bool {
	switch u := typ.Underlying().(type) {
	case *types.Array:
		return u.Len() == int64(len(letters)) && types.Identical(u.Elem(), types.Typ[types.Float32])
	case *types.Struct:
		if u.NumFields() != len(letters) {
			return false
		}
		for i := range u.NumFields() {
			f := u.Field(i)
			if !strings.EqualFold(f.Name(), letters[i:i+1]) || !types.Identical(f.Type(), types.Typ[types.Float32]) {
				return false
			}
		}
		return true
	}
	return false
}

func isBytes(typ types.Type) bool {
	switch u := typ.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.String
	case *types.Slice:
		return types.Identical(u.Elem(), types.Typ[types.Byte])
	}
	return false
}

// integer reads the limits of an int, a uint or an enum.
func (r *reader) integer(v *Value, t tag) (complaint string) {
	basic, ok := v.Type.Underlying().(*types.Basic)
	want := map[schema.Type]types.BasicInfo{schema.Int: types.IsInteger, schema.Uint: types.IsUnsigned, schema.Enum: types.IsInteger}[v.Kind]
	switch {
	case ok && (basic.Kind() == types.Int || basic.Kind() == types.Uint || basic.Kind() == types.Uintptr):
		return fmt.Sprintf("is %s, whose width depends on the machine: use an integer with a size", r.name(v.Type))
	case !ok || basic.Info()&want != want || v.Kind == schema.Int && basic.Info()&types.IsUnsigned != 0:
		return r.wrongType(v.Type, t.kind, map[schema.Type]string{
			schema.Int: "int8, int16, int32 or int64", schema.Uint: "uint8, uint16, uint32 or uint64", schema.Enum: "a type of integers",
		}[v.Kind])
	}
	var low, high constant.Value
	if v.Kind == schema.Uint {
		low = constant.MakeInt64(0)
	}
	if v.Kind == schema.Enum && t.options["min"] == "" && t.options["max"] == "" {
		limits, complaint := shape.EnumLimits(v.Type, r.pkg)
		switch {
		case complaint != "":
			return strings.Replace(complaint, "has enum in its tag, but", "is an enum, and", 1)
		case limits.Values != nil:
			return "is an enum with gaps between its constants, which a range cannot leave out: number them without gaps, or say min and max in its tag"
		}
		low, high, v.Named = limits.Min, limits.Max, limits.Named
	}
	for _, end := range []struct {
		name string
		into *constant.Value
	}{{"min", &low}, {"max", &high}} {
		if s, given := t.options[end.name]; given {
			if *end.into, complaint = r.constant(v, end.name, s, token.INT); complaint != "" {
				return complaint
			}
		}
		switch x := *end.into; {
		case x == nil:
			return "has no bounds: write min=0,max=100, or other numbers, in its tag"
		case !shape.Representable(x, basic):
			return fmt.Sprintf("has %s=%v in its tag, which does not fit into %s", end.name, x, basic.Name())
		}
	}
	var fitsLow, fitsHigh bool
	v.Min, fitsLow = constant.Int64Val(low)
	v.Max, fitsHigh = constant.Int64Val(high)
	switch {
	case !fitsLow || !fitsHigh:
		return fmt.Sprintf("has bounds above %d, which is the largest that a layout can hold", int64(math.MaxInt64))
	case v.Kind != schema.Int && v.Min < 0:
		return fmt.Sprintf("has min=%d in its tag, and a field of kind %s is never below zero", v.Min, t.kind)
	case v.Min > v.Max:
		return fmt.Sprintf("has min=%d above max=%d in its tag", v.Min, v.Max)
	}
	return ""
}

// reals reads the bounds and the resolution of a scalar or a vector.
func (r *reader) reals(v *Value, t tag) (complaint string) {
	for _, name := range []string{"min", "max", "per"} {
		if t.options[name] == "" {
			return "has no bounds: write min=-1000,max=1000,per=100, or other numbers, in its tag; per is how many steps there are to the unit"
		}
	}
	low, complaint := r.constant(v, "min", t.options["min"], token.FLOAT)
	if complaint != "" {
		return complaint
	}
	high, complaint := r.constant(v, "max", t.options["max"], token.FLOAT)
	if complaint != "" {
		return complaint
	}
	v.Low, _ = constant.Float32Val(low)
	v.High, _ = constant.Float32Val(high)
	if v.Per, complaint = t.number("per", math.MaxUint32, 0); complaint != "" {
		return complaint
	}
	if _, err := quant.NewScalar(v.Low, v.High, v.Per); err != nil {
		return fmt.Sprintf("has min=%v, max=%v and per=%d in its tag, and there are no such codes: %v", v.Low, v.High, v.Per, err)
	}
	return ""
}

// constant returns the number that an option gives, written out or by the name of a constant of the package.
func (r *reader) constant(v *Value, option, s string, kind token.Token) (c constant.Value, complaint string) {
	as := constant.ToInt
	what := "an integer"
	if kind == token.FLOAT {
		as, what = constant.ToFloat, "a number"
	}
	c = literal(s, kind)
	if c.Kind() == constant.Unknown {
		name, negative := strings.CutPrefix(s, "-")
		named, ok := r.pkg.Scope().Lookup(name).(*types.Const)
		if !ok {
			return nil, fmt.Sprintf("has %s=%s in its tag, which is neither %s nor a constant of package %s", option, s, what, r.pkg.Name())
		}
		if !slices.Contains(v.Named, named) {
			v.Named = append(v.Named, named)
		}
		if c = named.Val(); negative && (c.Kind() == constant.Int || c.Kind() == constant.Float) {
			c = constant.UnaryOp(token.SUB, c, 0)
		}
	}
	if c = as(c); c.Kind() == constant.Unknown {
		return nil, fmt.Sprintf("has %s=%s in its tag, which is not %s", option, s, what)
	}
	return c, ""
}

// literal returns the number that s writes down, or something unknown.
func literal(s string, kind token.Token) constant.Value {
	if v := shape.Literal(s); v.Kind() == constant.Int || kind == token.INT {
		return v
	}
	v := constant.MakeFromLiteral(strings.TrimPrefix(s, "-"), token.FLOAT, 0)
	if strings.HasPrefix(s, "-") && v.Kind() != constant.Unknown {
		v = constant.UnaryOp(token.SUB, v, 0)
	}
	return v
}

// ItemsPath and ItemsName are what a collection is in Go: Items[T] of package replica.
const (
	ItemsPath = "github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	ItemsName = "Items"
)

// element returns the type of the elements of a collection.
func (r *reader) element(typ types.Type) (elem types.Type, complaint string) {
	named, ok := typ.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != ItemsPath || named.Obj().Name() != ItemsName ||
		named.TypeArgs().Len() != 1 {
		return nil, r.wrongType(typ, "collection", "replica.Items of the type of its elements")
	}
	return types.Unalias(named.TypeArgs().At(0)), ""
}
