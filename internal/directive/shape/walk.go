package shape

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// Problem says why a type has no shape.
type Problem struct {
	Pos     token.Pos // of a type or a field in the package being looked at
	Message string    // what is wrong and what to use instead
}

// Config tells [Of] about the package that it looks at. The zero Config is fine if nothing was generated and
// everything type-checks.
type Config struct {
	// Generated reports whether a position is in a file of the generator's making. Methods from there do not count as
	// a type's own.
	Generated func(token.Pos) bool

	// Explain returns what the type checker had to say about a position, or an empty string.
	Explain func(token.Pos) string
}

// Of returns the shape of a payload of a type declared at the top level of its package, or all that stands
// against it.
//
// Types that cannot be commands at all are refused as well: generic ones, interfaces and aliases.
func Of(obj *types.TypeName, cfg Config) (*Shape, []Problem) {
	w := walker{cfg: cfg, pkg: obj.Pkg(), said: map[Problem]bool{}}
	at := place{obj.Pos(), obj.Name()}
	if obj.IsAlias() {
		w.say(at, "is an alias: mark the type that it stands for, where that is declared")
		return nil, w.problems
	}
	named, ok := obj.Type().(*types.Named)
	switch {
	case !ok:
		w.unknown(at)
	case obj.Parent() != nil && obj.Parent() != obj.Pkg().Scope():
		w.say(at, "is declared inside a function, where it can have no methods: move it to the top level")
	case named.TypeParams().Len() > 0:
		w.say(at, "is generic, so it stands for many types while an id stands for one: declare a type for each instance that is sent")
	case types.IsInterface(named):
		w.say(at, "is an interface, which could hold anything: mark the concrete types")
	default:
		own, complaint := w.ownCodec(named)
		switch {
		case complaint != "":
			w.say(at, "%s", complaint)
		case own:
			return &Shape{Kind: Custom, Type: named}, nil
		default:
			s := w.shape(named, at, nil)
			if s != nil && s.Max > maxCap {
				w.say(at, "may take %d bytes, which is too much: lower the caps of its fields", s.Max)
			}
			if len(w.problems) == 0 {
				return s, nil
			}
		}
	}
	return nil, w.problems
}

type walker struct {
	cfg      Config
	pkg      *types.Package
	within   []*types.Named // the types around the one being looked at
	problems []Problem
	said     map[Problem]bool
}

// place is where a problem is reported, and what it is said about.
type place struct {
	pos   token.Pos
	label string
}

func (w *walker) say(at place, format string, args ...any) {
	p := Problem{at.pos, at.label + " " + fmt.Sprintf(format, args...)}
	if !w.said[p] { // a struct may be used by several fields
		w.said[p] = true
		w.problems = append(w.problems, p)
	}
}

func (w *walker) unknown(at place) {
	because := ""
	if w.cfg.Explain != nil {
		because = w.cfg.Explain(at.pos)
	}
	if because != "" {
		because = ": " + because
	}
	w.say(at, "has a type that is not known%s", because)
}

// shape returns the shape of t, or nil after having said why there is none. The tag is that of the field that is
// made of t, directly or as elements.
func (w *walker) shape(t types.Type, at place, tg *tag) *Shape {
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		return w.named(named, at, tg)
	}
	return w.underlying(t, t, at, tg)
}

func (w *walker) named(t *types.Named, at place, tg *tag) *Shape {
	obj := t.Obj()
	root := len(w.within) == 0
	for _, outer := range w.within {
		if types.Identical(outer, t) {
			w.say(at, "contains itself by way of %s, without end: refer to the inner one by a number", w.name(t))
			return nil
		}
	}
	if obj.Pkg() != nil && obj.Pkg() != w.pkg {
		if !obj.Exported() {
			w.say(at, "is %s, which cannot be named here because it is not exported", article(w.name(t)))
			return nil
		}
		if !importable(obj.Pkg(), w.pkg) {
			w.say(at, "is %s, and this package cannot import %q", article(w.name(t)), obj.Pkg().Path())
			return nil
		}
		if obj.Pkg().Path() == "time" && obj.Name() == "Time" {
			w.say(at, "is a time.Time, which belongs to one machine's clock: use a netcode.Step, or an int64 of Unix nanoseconds")
			return nil
		}
	}
	if !root {
		own, complaint := w.ownCodec(t)
		if complaint != "" {
			w.say(at, "is %s, which %s", article(w.name(t)), complaint)
			return nil
		}
		if own {
			return w.custom(t, at, tg)
		}
	}
	w.within = append(w.within, t)
	defer func() { w.within = w.within[:len(w.within)-1] }()
	if _, ok := t.Underlying().(*types.Struct); ok && obj.Pkg() == w.pkg {
		at.label = w.name(t) // its fields have places of their own
	}
	return w.underlying(t, t.Underlying(), at, tg)
}

// underlying returns the shape of t, whose underlying type is u.
func (w *walker) underlying(t, u types.Type, at place, tg *tag) *Shape {
	switch u := u.(type) {
	case *types.Basic:
		return w.basic(t, u, at, tg)
	case *types.Array:
		if u.Len() < 0 {
			w.unknown(at)
			return nil
		}
		elem := w.shape(u.Elem(), place{at.pos, at.label + "[]"}, tg)
		if elem == nil {
			return nil
		}
		s := &Shape{Kind: Array, Type: t, Len: u.Len(), Elem: elem, Fixed: elem.Fixed}
		s.Min, s.Max = times(u.Len(), elem.Min), times(u.Len(), elem.Max)
		return s
	case *types.Slice:
		return w.slice(t, u, at, tg)
	case *types.Struct:
		return w.structure(t, u, at)
	case *types.Pointer:
		w.say(at, "is a pointer, which means nothing to another machine: use %s itself, with a bool beside it if it may be absent", w.name(u.Elem()))
	case *types.Map:
		w.say(at, "is a map, whose order differs from run to run: use a slice of structs with a key and a value, tagged `netcode:\"max=...\"`")
	case *types.Chan:
		w.say(at, "is a channel, which cannot be sent: use the values that it would carry")
	case *types.Signature:
		w.say(at, "is a function, which cannot be sent: use a number that says which function to call")
	case *types.Interface:
		w.say(at, "is an interface, which could hold anything: use a concrete type, or one command for each alternative")
	default:
		w.say(at, "is %s, which cannot be sent", article(w.name(t)))
	}
	return nil
}

func (w *walker) basic(t types.Type, u *types.Basic, at place, tg *tag) *Shape {
	switch u.Kind() {
	case types.Invalid:
		w.unknown(at)
		return nil
	case types.Int, types.Uint:
		w.say(at, "is %s, which is 32 or 64 bits wide, depending on the machine: use %[2]s32 or %[2]s64", article(w.name(t)), u.Name())
		return nil
	case types.Uintptr, types.UnsafePointer:
		w.say(at, "is %s, and an address means nothing to another machine: use a uint64 if it is a number", article(w.name(t)))
		return nil
	case types.Complex64, types.Complex128:
		w.say(at, "is %s: use two floats", article(w.name(t)))
		return nil
	case types.Bool:
		return sized(&Shape{Kind: Bool, Type: t}, 1)
	case types.Float32:
		return sized(&Shape{Kind: Float, Type: t, Bits: 32}, 4)
	case types.Float64:
		return sized(&Shape{Kind: Float, Type: t, Bits: 64}, 8)
	case types.String:
		return w.capped(&Shape{Kind: String, Type: t}, at, tg, "string", "bytes")
	}
	bits, signed := width(u.Kind())
	limits, complaint := tg.limits(t, u, w.pkg)
	if complaint != "" {
		w.say(at, "%s", complaint)
		return nil
	}
	return sized(&Shape{Kind: Int, Type: t, Bits: bits, Signed: signed, Limits: limits}, int64(bits/8))
}

func sized(s *Shape, n int64) *Shape {
	s.Fixed, s.Min, s.Max = true, n, n
	return s
}

func width(k types.BasicKind) (bits int, signed bool) {
	switch k {
	case types.Int8:
		return 8, true
	case types.Int16:
		return 16, true
	case types.Int32:
		return 32, true
	case types.Int64:
		return 64, true
	case types.Uint8:
		return 8, false
	case types.Uint16:
		return 16, false
	case types.Uint32:
		return 32, false
	case types.Uint64:
		return 64, false
	}
	panic(fmt.Sprintf("basic kind %d is no sized integer", k))
}

// capped completes the shape of something with a length that the tag must limit.
func (w *walker) capped(s *Shape, at place, tg *tag, what, unit string) *Shape {
	switch {
	case tg == nil:
		w.say(at, "is %s of any length: make it the field of a struct, where a tag such as `netcode:\"max=64\"` can say how many %s are allowed", article(what), unit)
		return nil
	case !tg.hasMax:
		w.say(at, "is %s of any length: say in its tag how many %s are allowed, such as `netcode:\"max=64\"`", article(what), unit)
		return nil
	case tg.usedMax:
		w.say(at, "is %s inside something that has a length too, and the tag's max is about that one: make it the field of a struct", article(what))
		return nil
	}
	tg.usedMax = true
	s.Cap = tg.max
	s.Min = PrefixBytes(s.Cap)
	s.Max = s.Min + s.Cap
	return s
}

func (w *walker) custom(t types.Type, at place, tg *tag) *Shape {
	return w.capped(&Shape{Kind: Custom, Type: t}, at, tg, w.name(t)+" with a codec of its own,", "bytes")
}

func (w *walker) slice(t types.Type, u *types.Slice, at place, tg *tag) *Shape {
	elemType := types.Unalias(u.Elem())
	if types.Identical(elemType, types.Typ[types.Uint8]) && (tg == nil || !tg.hasRange && !tg.enum) {
		return w.capped(&Shape{Kind: Bytes, Type: t}, at, tg, "byte slice", "bytes")
	}
	s := w.capped(&Shape{Kind: Slice, Type: t}, at, tg, "slice", "elements")
	elem := w.shape(elemType, place{at.pos, at.label + "[]"}, tg)
	if s == nil || elem == nil {
		return nil
	}
	if elem.Max == 0 { // a few bytes could ask for any amount of memory
		w.say(at, "is a slice whose elements have nothing in them to send: use a number that says how many there are")
		return nil
	}
	s.Elem = elem
	s.Max = s.Min + times(s.Cap, elem.Max)
	return s
}

func (w *walker) structure(t types.Type, u *types.Struct, at place) *Shape {
	s := &Shape{Kind: Struct, Type: t, Fixed: true}
	ok := true
	for i := range u.NumFields() {
		f := Field{Var: u.Field(i), Tag: u.Tag(i)}
		here := f.Var.Pkg() == w.pkg
		fieldAt := place{at.pos, at.label + "." + f.Var.Name()}
		if here {
			fieldAt.pos = f.Var.Pos()
		}
		tg, complaint := parseTag(f.Tag, f.Var.Pkg())
		switch {
		case f.Var.Name() == "_":
			if !here {
				w.say(at, "is %s, whose blank fields cannot be written down here", article(w.name(t)))
				ok = false
			}
		case !here && !f.Var.Exported():
			w.say(at, "is %s, whose field %s is not exported: use a struct of exported fields, or give it the methods AppendBinary and UnmarshalBinary", article(w.name(t)), f.Var.Name())
			ok = false
		case complaint != "":
			w.say(fieldAt, "%s", complaint)
			ok = false
		default:
			before := len(w.problems)
			f.Shape = w.shape(f.Var.Type(), fieldAt, &tg)
			if f.Shape == nil {
				ok = false
				break
			}
			switch {
			case len(w.problems) > before:
			case tg.hasMax && !tg.usedMax:
				w.say(fieldAt, "has max in its tag, but its size is fixed or limited elsewhere")
			case (tg.hasRange || tg.enum) && !tg.usedLimits:
				w.say(fieldAt, "has range or enum in its tag, but holds no integers")
			}
			s.Fixed = s.Fixed && f.Shape.Fixed
			s.Min, s.Max = plus(s.Min, f.Shape.Min), plus(s.Max, f.Shape.Max)
		}
		s.Fields = append(s.Fields, f)
	}
	if !ok {
		return nil
	}
	return s
}

// times and plus stop at something that is certainly too much.

func times(a, b int64) int64 {
	if b != 0 && a > 1<<40/b {
		return 1 << 40
	}
	return a * b
}

func plus(a, b int64) int64 { return min(a+b, 1<<40) }

// ownCodec reports whether somebody has written the codec of t, or what is wrong with it. Methods that t has by
// embedding something do not count: they know nothing of the other fields.
func (w *walker) ownCodec(t *types.Named) (own bool, complaint string) {
	appends := w.method(t, "AppendBinary")
	decodes := w.method(t, "UnmarshalBinary")
	switch {
	case appends == nil && decodes == nil:
		return false, ""
	case decodes == nil:
		return false, "has the method AppendBinary but not UnmarshalBinary: write both or neither"
	case appends == nil:
		return false, "has the method UnmarshalBinary but not AppendBinary: write both or neither"
	}
	bytes := types.NewSlice(types.Typ[types.Uint8])
	if !hasSignature(appends, []types.Type{bytes}, []types.Type{bytes, errorType}) {
		return false, "has a method AppendBinary that is not func([]byte) ([]byte, error)"
	}
	if !hasSignature(decodes, []types.Type{bytes}, []types.Type{errorType}) {
		return false, "has a method UnmarshalBinary that is not func([]byte) error"
	}
	return true, ""
}

var errorType = types.Universe.Lookup("error").Type()

func hasSignature(f *types.Func, params, results []types.Type) bool {
	same := func(tuple *types.Tuple, want []types.Type) bool {
		if tuple.Len() != len(want) {
			return false
		}
		for i, t := range want {
			if !types.Identical(tuple.At(i).Type(), t) {
				return false
			}
		}
		return true
	}
	sig := f.Signature()
	return !sig.Variadic() && same(sig.Params(), params) && same(sig.Results(), results)
}

// method returns a method that is declared for t or *t by hand, or nil.
func (w *walker) method(t *types.Named, name string) *types.Func {
	for m := range t.Methods() {
		if m.Name() == name && (w.cfg.Generated == nil || !w.cfg.Generated(m.Pos())) {
			return m
		}
	}
	return nil
}

// importable reports whether from may import pkg.
func importable(pkg, from *types.Package) bool {
	if pkg.Name() == "main" {
		return false
	}
	path := "/" + pkg.Path() + "/"
	i := strings.LastIndex(path, "/internal/")
	if i < 0 {
		return true
	}
	parent := strings.TrimPrefix(path[:i], "/")
	own, _, _ := strings.Cut(from.Path(), " ")
	own = strings.TrimSuffix(own, "_test")
	return parent == "" && !strings.Contains(own, ".") || own == parent || strings.HasPrefix(own, parent+"/")
}

// name returns t as it is written in the package being looked at.
func (w *walker) name(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.pkg {
			return ""
		}
		return p.Name()
	})
}

func article(noun string) string {
	if strings.ContainsRune("aeiouAEIO", rune(noun[0])) && !strings.HasPrefix(noun, "uint") {
		return "an " + noun
	}
	return "a " + noun
}
