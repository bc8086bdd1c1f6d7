package registry

import (
	"cmp"
	"iter"
	"reflect"
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// Registry is a set of command types. The zero Registry is empty and ready to use.
type Registry struct {
	records []*record // by ascending id
	byID    table     // positions in records
	byType  map[reflect.Type]*record
}

// record is a registration without its type parameter.
type record struct {
	claim  Claim
	goType reflect.Type
	handle any // the Type[T] of goType
}

// New returns an empty registry.
func New() *Registry { return new(Registry) }

// Options say how a type is registered. The zero value makes a type that is not predicted and brings its own
// codec.
type Options[T any] struct {
	// Predicted lets clients execute such a command before the authority has answered. All peers must agree.
	Predicted bool

	// Name is what the type is called in messages. Empty means the full Go name. It has no influence on the id.
	Name string

	// Codec encodes and decodes payloads. If it is zero, *T must implement [encoding.BinaryAppender] and
	// [encoding.BinaryUnmarshaler], which must then do what Codec asks of its functions.
	Codec Codec[T]

	// Shared promises that executors do not change what a payload points to. It matters for a T that holds
	// pointers, slices, maps, interfaces, channels or functions: without the promise such a payload is decoded
	// anew for every execution, replays included. Strings need no promise.
	Shared bool
}

// Register adds T to r under an id and returns its handle. Doing it again with the same id and options is
// harmless and returns the same handle; functions cannot be compared, so the first codec stays.
//
// It refuses, with a [*TypeError], id 0 ([ErrZeroID]), a type without a name ([ErrUnnamed]) and one without a
// codec ([ErrNoCodec]); with a [*ConflictError] another type under the id ([ErrIDTaken]), another id for the
// type ([ErrTypeTaken]), and both as they were but with other options ([ErrPrediction], [ErrOptions]). Nothing
// has changed then.
func Register[T any](r *Registry, id netcode.TypeID, opts Options[T]) (Type[T], error) {
	goType := reflect.TypeFor[T]()
	refuse := func(err error) (Type[T], error) {
		return Type[T]{}, &TypeError{ID: id, GoType: goType.String(), Err: err}
	}
	name := fullName(goType)
	if name == "" {
		return refuse(ErrUnnamed)
	}
	if id == 0 {
		return refuse(ErrZeroID)
	}
	codec, err := opts.Codec.complete()
	if err != nil {
		return refuse(err)
	}

	info := Info{ID: id, Name: cmp.Or(opts.Name, name), Predicted: opts.Predicted}
	rec := &record{claim: Claim{Info: info, GoType: name, Shared: opts.Shared}, goType: goType}
	if held, err := r.held(rec); err != nil {
		return Type[T]{}, err
	} else if held != nil {
		return held.handle.(Type[T]), nil
	}
	t := Type[T]{&entry[T]{info: info, codec: codec, decodeOnce: opts.Shared || !holdsPointers(goType)}}
	rec.handle = t
	r.add(rec)
	return t, nil
}

// held returns the registration that rec repeats, nil if rec is new, or the conflict that it causes.
func (r *Registry) held(rec *record) (*record, error) {
	conflict := func(with *record, err error) error {
		return &ConflictError{Wanted: rec.claim, Held: with.claim, Err: err}
	}
	if i, ok := r.byID.find(rec.claim.ID); ok && r.records[i].goType != rec.goType {
		return nil, conflict(r.records[i], ErrIDTaken)
	}
	old, ok := r.byType[rec.goType]
	switch {
	case !ok:
		return nil, nil
	case old.claim.ID != rec.claim.ID:
		return nil, conflict(old, ErrTypeTaken)
	case old.claim.Predicted != rec.claim.Predicted:
		return nil, conflict(old, ErrPrediction)
	case old.claim != rec.claim:
		return nil, conflict(old, ErrOptions)
	}
	return old, nil
}

func (r *Registry) add(rec *record) {
	at, _ := slices.BinarySearchFunc(r.records, rec.claim.ID, func(have *record, id netcode.TypeID) int {
		return cmp.Compare(have.claim.ID, id)
	})
	// A new array, because an iteration may be under way over the old one.
	r.records = slices.Insert(slices.Clone(r.records), at, rec)
	ids := make([]netcode.TypeID, len(r.records))
	for i, rec := range r.records {
		ids[i] = rec.claim.ID
	}
	r.byID = newTable(ids)
	if r.byType == nil {
		r.byType = make(map[reflect.Type]*record)
	}
	r.byType[rec.goType] = rec
}

// Of returns the handle of T, and false if T is not registered in r. It looks T up by reflection: keep the
// handle.
func Of[T any](r *Registry) (Type[T], bool) {
	rec, ok := r.byType[reflect.TypeFor[T]()]
	if !ok {
		return Type[T]{}, false
	}
	return rec.handle.(Type[T]), true
}

// Lookup returns what is known about an id, and false if it is not registered.
func (r *Registry) Lookup(id netcode.TypeID) (Info, bool) {
	i, ok := r.byID.find(id)
	if !ok {
		return Info{}, false
	}
	return r.records[i].claim.Info, true
}

// All yields the registered types by ascending id. What is registered during the iteration is not in it.
func (r *Registry) All() iter.Seq[Info] {
	return func(yield func(Info) bool) {
		for _, rec := range r.records {
			if !yield(rec.claim.Info) {
				return
			}
		}
	}
}

// Len returns the number of registered types.
func (r *Registry) Len() int { return len(r.records) }

// Digest returns a number that two registries share if they hold the same ids with the same prediction flags,
// in whatever order they were registered, and hardly ever otherwise. It tells apart builds that do not fit
// together; it is not cryptographic and proves nothing against a peer that lies.
//
// It is FNV-1a with 64 bits over the id (u64, little-endian) and the prediction flag (u8, 0 or 1) of each type
// by ascending id.
func (r *Registry) Digest() uint64 {
	h := uint64(fnvOffset)
	for _, rec := range r.records {
		for shift := 0; shift < 64; shift += 8 {
			h = fnv(h, byte(rec.claim.ID>>shift))
		}
		predicted := byte(0)
		if rec.claim.Predicted {
			predicted = 1
		}
		h = fnv(h, predicted)
	}
	return h
}
