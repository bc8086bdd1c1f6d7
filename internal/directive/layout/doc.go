// Package layout says how the objects of a marked struct are replicated: which fields there are, of which kinds and
// within which bounds, in the words of package schema. It reads this from the struct's type, the tags of its fields
// and the options of its directive.
//
// A field is replicated if it has a tag
//
//	rep:"kind,option,..."
//
// whose first word is one of the kinds bool, int, uint, enum, scalar, vector3, quat, bytes and collection. [Of]
// reports everything that is wrong, at the field; what it accepts is a layout that [schema.Layout.Validate] accepts,
// with an older layout for every version that the directive lets in.
package layout
