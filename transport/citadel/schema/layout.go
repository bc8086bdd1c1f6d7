package schema

import "fmt"

// Layout is the property table of a class.
type Layout struct {
	Class      uint32 // no part of the identity
	Version    uint32
	Properties []Property // the field id is the index
}

// AppendFields appends the properties as the hash sees them. If there are more than [MaxFields] it returns
// [ErrTooManyFields], and dst as it was.
func (l Layout) AppendFields(dst []Field) ([]Field, error) {
	if len(l.Properties) > MaxFields {
		return dst, fmt.Errorf("%w: %d", ErrTooManyFields, len(l.Properties))
	}
	for i, p := range l.Properties {
		dst = append(dst, p.Field(uint16(i)))
	}
	return dst, nil
}

// Hash returns the digest of the layout. It takes any layout of up to [MaxFields] properties, however senseless,
// and returns [ErrTooManyFields] for a larger one.
func (l Layout) Hash() (Hash, error) {
	fields, err := l.AppendFields(make([]Field, 0, min(len(l.Properties), MaxFields)))
	if err != nil {
		return Hash{}, err
	}
	return HashFields(l.Version, fields)
}

// Identity returns the digest with the version. Its error is that of [Layout.Hash].
func (l Layout) Identity() (Identity, error) {
	hash, err := l.Hash()
	if err != nil {
		return Identity{}, err
	}
	return Identity{Hash: hash, Version: l.Version}, nil
}

// Extends returns nil if l is what an older layout became by appending properties, or none: the older one's
// properties are the first of l, alike in everything that a peer can tell, and its version is lower. Otherwise it
// returns [ErrVersion] or [ErrNotPrefix]. The class numbers are not compared.
func (l Layout) Extends(older Layout) error {
	if older.Version >= l.Version {
		return fmt.Errorf("%w: older version %d, newer version %d", ErrVersion, older.Version, l.Version)
	}
	if len(older.Properties) > len(l.Properties) {
		return fmt.Errorf("%w: version %d has %d properties, version %d only %d",
			ErrNotPrefix, older.Version, len(older.Properties), l.Version, len(l.Properties))
	}
	for i, p := range older.Properties {
		if !p.alike(l.Properties[i]) {
			return fmt.Errorf("%w: property %d of version %d is %q, of version %d %q or unlike it",
				ErrNotPrefix, i, older.Version, p.Name, l.Version, l.Properties[i].Name)
		}
	}
	return nil
}
