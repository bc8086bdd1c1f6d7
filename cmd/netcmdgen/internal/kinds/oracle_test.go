package kinds

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/kinds/geom"
)

// The oracle encodes by reflection, straight from the description of the format, and makes random values.

// members are the values of the enums.
var members = map[reflect.Type][]int64{
	reflect.TypeFor[Dir]():       {0, 1, 2, 3},
	reflect.TypeFor[Tool]():      {-300, 5, 6},
	reflect.TypeFor[mood]():      {3, 4},
	reflect.TypeFor[geom.Turn](): {-1, 0, 1},
}

// constants are the names used in ranges.
var constants = map[string]string{
	"lowest": "-5", "highest": "40000", "South": "2", "Left": "-1", "Right": "1",
}

// option returns an option of a field's tag.
func option(tag reflect.StructTag, name string) (string, bool) {
	for w := range strings.FieldsSeq(tag.Get("netcode")) {
		if key, value, _ := strings.Cut(w, "="); key == name {
			return value, true
		}
	}
	return "", false
}

func capOf(tag reflect.StructTag) int {
	s, ok := option(tag, "max")
	n, err := strconv.Atoi(s)
	if !ok || err != nil {
		panic(fmt.Sprintf("no cap in %q", tag))
	}
	return n
}

// bound returns one end of a range as the bits of a 64-bit integer.
func bound(s string) uint64 {
	if c, ok := constants[s]; ok {
		s = c
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(n)
	}
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// settable returns a field that may be written though it is not exported.
func settable(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// custom returns the methods of a value with a codec of its own. The methods of commands are generated.
func custom(v reflect.Value) (encoding.BinaryAppender, bool) {
	switch v.Type().String() {
	case "kinds.Own", "netip.Addr":
		return v.Addr().Interface().(encoding.BinaryAppender), true
	}
	return nil, false
}

func oracle(t testing.TB, b []byte, v reflect.Value, tag reflect.StructTag) []byte {
	if m, ok := custom(v); ok {
		inner, err := m.AppendBinary(nil)
		require.NoError(t, err)
		return append(prefix(b, len(inner), capOf(tag)), inner...)
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.LittleEndian.AppendUint64(b, uint64(v.Int()))[:len(b)+int(v.Type().Size())]
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.LittleEndian.AppendUint64(b, v.Uint())[:len(b)+int(v.Type().Size())]
	case reflect.Float32:
		return binary.LittleEndian.AppendUint32(b, *(*uint32)(v.Addr().UnsafePointer())) // all bits, even of a NaN
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, *(*uint64)(v.Addr().UnsafePointer()))
	case reflect.String:
		return append(prefix(b, v.Len(), capOf(tag)), v.String()...)
	case reflect.Slice:
		b = prefix(b, v.Len(), capOf(tag))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			b = oracle(t, b, v.Index(i), tag)
		}
		return b
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Name != "_" {
				b = oracle(t, b, settable(v.Field(i)), f.Tag)
			}
		}
		return b
	}
	panic(v.Type())
}

func prefix(b []byte, n, cap int) []byte {
	switch {
	case cap < 1<<8:
		return append(b, byte(n))
	case cap < 1<<16:
		return binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	return binary.LittleEndian.AppendUint32(b, uint32(n))
}

// fill sets v to a random value that has an encoding. It leaves blank fields alone and makes no empty slices that
// are not nil. Floats are numbers if sane.
func fill(r *rand.Rand, v reflect.Value, tag reflect.StructTag, sane bool) {
	length := func() int {
		switch r.IntN(4) {
		case 0:
			return 0
		case 1:
			if most := capOf(tag); most < 1000 || r.IntN(50) == 0 {
				return most
			}
		}
		return r.IntN(min(capOf(tag), 20) + 1)
	}
	switch v.Type().String() {
	case "kinds.Own":
		secret := byte(r.Uint32())
		v.Set(reflect.ValueOf(Own{func() byte { return secret }}))
		return
	case "netip.Addr":
		p := v.Addr().Interface().(encoding.BinaryUnmarshaler)
		text := make([]byte, []int{0, 4, 16, 20}[r.IntN(4)])
		for i := range text {
			text[i] = byte('a' + r.IntN(26))
		}
		if err := p.UnmarshalBinary(text); err != nil {
			panic(err)
		}
		return
	}
	bits := r.Uint64()
	if r.IntN(4) == 0 {
		bits = []uint64{0, 1, math.MaxUint64, 1 << 63, math.MaxInt64}[r.IntN(5)]
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(bits&1 == 1)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if _, ok := option(tag, "enum"); ok {
			all := members[v.Type()]
			bits = uint64(all[r.IntN(len(all))])
		}
		if span, ok := option(tag, "range"); ok {
			low, high, _ := strings.Cut(span, "..")
			from, to := bound(low), bound(high)
			bits = from + bits%max(to-from+1, 1)
			switch r.IntN(4) {
			case 0:
				bits = from
			case 1:
				bits = to
			}
		}
		if v.CanInt() {
			v.SetInt(int64(bits) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
		} else {
			v.SetUint(bits << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
		}
	case reflect.Float32, reflect.Float64:
		switch {
		case sane:
			v.SetFloat(float64(float32(r.NormFloat64())))
		case v.Kind() == reflect.Float32:
			*(*uint32)(v.Addr().UnsafePointer()) = uint32(bits)
		default:
			*(*uint64)(v.Addr().UnsafePointer()) = bits
		}
	case reflect.String:
		s := make([]byte, length())
		for i := range s {
			s[i] = byte(r.Uint32())
		}
		v.SetString(string(s))
	case reflect.Slice:
		v.SetZero()
		if n := length(); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			fill(r, v.Index(i), tag, sane)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), tag, sane)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Name != "_" {
				fill(r, settable(v.Field(i)), f.Tag, sane)
			}
		}
	default:
		panic(v.Type())
	}
}
