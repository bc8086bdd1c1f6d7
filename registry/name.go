package registry

import (
	"reflect"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// FNV-1a with 64 bits.
const (
	fnvOffset = 0xCBF29CE484222325
	fnvPrime  = 0x100000001B3
)

// HashName returns the id that belongs to a full type name: FNV-1a with 64 bits over its UTF-8 bytes. What a
// full name is depends on who shares the id:
//
//   - between Go programs, the import path, a dot and the type's name: "example.com/game.Move";
//   - with .NET programs, the CLR metadata name: the namespace, a plus sign before each nested type, and the
//     number of type parameters after a backtick: "Game.Commands+Move`1".
//
// The hash is no protection against somebody who wants two names to collide. [Register] notices if they do.
func HashName(fullName string) netcode.TypeID {
	h := uint64(fnvOffset)
	for i := range len(fullName) {
		h = fnv(h, fullName[i])
	}
	return netcode.TypeID(h)
}

func fnv(h uint64, b byte) uint64 { return (h ^ uint64(b)) * fnvPrime }

// IDOf returns [HashName] of T's full Go name, or 0, which [Register] refuses, if T has none: predeclared
// types, and types written out such as *T, []T or struct{}.
//
// The name is the one that the running program knows, with these consequences:
//
//   - a type of a command is "main.T" wherever its source lies, and one of an external test package has "_test"
//     in its path. A type that two programs share belongs in a package that both import;
//   - the name of a type declared inside a function does not say which function. Of two such types with one
//     name the second is refused;
//   - the name of an instance of a generic type contains its type arguments as the compiler at hand spells
//     them. Give such a type an id by HashName of a name of your own.
func IDOf[T any]() netcode.TypeID {
	name := fullName(reflect.TypeFor[T]())
	if name == "" {
		return 0
	}
	return HashName(name)
}

// fullName returns the full Go name of t, or nothing if t is not a defined type of some package.
func fullName(t reflect.Type) string {
	if t.PkgPath() == "" {
		return ""
	}
	return t.PkgPath() + "." + t.Name()
}
