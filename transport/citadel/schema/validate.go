package schema

import (
	"fmt"
	"unicode/utf8"
)

// Validate returns nil if the layout makes sense, which hashing does not ask. A layout makes sense if it has at
// most [MaxFields] properties and each of them
//
//   - has a name, in valid UTF-8, that no other has, nor another name with the same [NameKey];
//   - has one of the types, conditions and authorities above;
//   - names no codec of another type: [CodecBool] is for a bool, [CodecScalar] for a scalar or for an integer,
//     unsigned integer or enum, and so on. [CodecNone] and the numbers of an application's own codecs go with
//     every type, and a collection may name the codec of its elements;
//   - has bounds of a kind that its type can have: an int range for int, uint and enum, not below zero for the
//     latter two; a scalar range for scalar and vector3; a length for bytes; a cardinality for collection; and no
//     bounds for bool and quat. A scalar with CodecScalar must have its range, otherwise bounds may be missing;
//   - has bounds that admit a value: the least is not above the greatest, a length or cardinality is not zero, and
//     a scalar range is finite, not empty, has at least one code to the unit and codes of at most 64 bits.
//
// For the first property that fails it returns a [PropertyError], which is [ErrInvalidLayout]; for too many of
// them [ErrTooManyFields].
func (l Layout) Validate() error {
	if len(l.Properties) > MaxFields {
		return fmt.Errorf("%w: %d", ErrTooManyFields, len(l.Properties))
	}
	keys := make(map[uint64]int, len(l.Properties))
	for i, p := range l.Properties {
		reason := p.problem()
		if other, taken := keys[NameKey(p.Name)]; taken && reason == "" {
			reason = fmt.Sprintf("name or its key is that of property %d", other)
		}
		if reason != "" {
			return &PropertyError{Index: i, Name: p.Name, Reason: reason}
		}
		keys[NameKey(p.Name)] = i
	}
	return nil
}

// problem says what is wrong with a property by itself, or nothing.
func (p Property) problem() string {
	switch {
	case p.Name == "":
		return "no name"
	case !utf8.ValidString(p.Name):
		return "name is not valid UTF-8"
	case p.Type < Bool || p.Type > Collection:
		return "no such " + p.Type.String()
	case p.Condition > Never:
		return "no such " + p.Condition.String()
	case p.Authority > ClientOwned:
		return "no such " + p.Authority.String()
	case !p.codecFits():
		return fmt.Sprintf("codec %d is not for %s", p.Codec, p.Type)
	case p.Bounds.kind == BoundsNone:
		if p.Type == Scalar && p.Codec == CodecScalar {
			return "a quantised scalar needs a range"
		}
		return ""
	case !p.boundsFit():
		return fmt.Sprintf("%s: not for %s", p.Bounds, p.Type)
	case p.Bounds.empty():
		return fmt.Sprintf("%s: admits nothing", p.Bounds)
	}
	return ""
}

// codecFits reports whether the codec is one for the type.
func (p Property) codecFits() bool {
	if p.Codec == CodecNone || p.Codec > CodecQuat15 || p.Type == Collection {
		return true
	}
	switch p.Type {
	case Bool:
		return p.Codec == CodecBool
	case Int, Uint, Enum, Scalar:
		return p.Codec == CodecScalar
	case Vector3:
		return p.Codec == CodecVector3
	case Quat:
		return p.Codec >= CodecQuat9
	}
	return false
}

// boundsFit reports whether the bounds, which are there, are of a kind for the type.
func (p Property) boundsFit() bool {
	switch p.Type {
	case Int:
		return p.Bounds.kind == BoundsIntRange
	case Uint, Enum:
		least, _, ok := p.Bounds.IntRange()
		return ok && least >= 0
	case Scalar, Vector3:
		return p.Bounds.kind == BoundsScalarRange
	case Bytes:
		return p.Bounds.kind == BoundsMaxLen
	case Collection:
		return p.Bounds.kind == BoundsMaxCardinality
	}
	return false
}

// empty reports whether no value is within the bounds, which are there, or no code can be given to those that are.
func (b Bounds) empty() bool {
	switch b.kind {
	case BoundsIntRange:
		least, greatest, _ := b.IntRange()
		return least > greatest
	case BoundsScalarRange:
		least, greatest, perUnit, _ := b.ScalarRange()
		span := float64(greatest) - float64(least)
		// NaN fails the first comparison, an infinity the last.
		return !(span > 0) || perUnit == 0 || span*float64(perUnit) >= 1<<64
	}
	return b.lo == 0
}
