package schema

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"lukechampine.com/blake3"
)

// MaxFields is the largest number of fields a class can have, which is how many ids there are.
const MaxFields = 1 << 16

// Hash is the digest of a layout.
type Hash [16]byte

// String returns h as 32 lower-case hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Identity is what a full state says about the layout it was written with.
type Identity struct {
	Hash    Hash
	Version uint32
}

// String returns the version and the hash, for messages.
func (id Identity) String() string { return fmt.Sprintf("v%d/%s", id.Version, id.Hash) }

// Field is a field as the hash sees it: numbers without a meaning.
type Field struct {
	ID        uint16
	TypeTag   uint16
	CodecID   uint16
	Cond      uint8
	Authority uint8
	Bounds    uint64 // for a property, its name and bounds: see [Property.Shape]
}

const (
	preimageTag   = "citadel.schema.v1"
	preimageHead  = len(preimageTag) + 4 + 4
	preimageField = 2 + 2 + 2 + 1 + 1 + 8
)

// HashFields returns the digest of fields, whose ids must strictly ascend, under a layout version. It does not
// retain fields. It returns [ErrTooManyFields] or [ErrFieldOrder].
func HashFields(version uint32, fields []Field) (Hash, error) {
	if err := checkFields(fields); err != nil {
		return Hash{}, err
	}
	image := make([]byte, 0, preimageHead+len(fields)*preimageField)
	// For an image of more than 16 KiB this starts goroutines, and waits for them.
	sum := blake3.Sum256(appendPreimage(image, version, fields))
	return Hash(sum[:len(Hash{})]), nil
}

// AppendPreimage appends the bytes that [HashFields] takes the digest of. On an error, which is one of those of
// HashFields, it returns dst as it was.
func AppendPreimage(dst []byte, version uint32, fields []Field) ([]byte, error) {
	if err := checkFields(fields); err != nil {
		return dst, err
	}
	return appendPreimage(dst, version, fields), nil
}

func checkFields(fields []Field) error {
	if len(fields) > MaxFields {
		return fmt.Errorf("%w: %d", ErrTooManyFields, len(fields))
	}
	for i := 1; i < len(fields); i++ {
		if fields[i].ID <= fields[i-1].ID {
			return fmt.Errorf("%w: %d after %d at %d", ErrFieldOrder, fields[i].ID, fields[i-1].ID, i)
		}
	}
	return nil
}

func appendPreimage(dst []byte, version uint32, fields []Field) []byte {
	le := binary.LittleEndian
	dst = append(dst, preimageTag...)
	dst = le.AppendUint32(dst, version)
	dst = le.AppendUint32(dst, uint32(len(fields)))
	for _, f := range fields {
		dst = le.AppendUint16(dst, f.ID)
		dst = le.AppendUint16(dst, f.TypeTag)
		dst = le.AppendUint16(dst, f.CodecID)
		dst = append(dst, f.Cond, f.Authority)
		dst = le.AppendUint64(dst, f.Bounds)
	}
	return dst
}
