package main

/*
#define CITADEL_TYPES_ONLY
#include "citadel.h"
*/
import "C"

import (
	"unsafe"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

//export citadel_rep_encoder_new
func citadel_rep_encoder_new(object C.uint32_t, full C.uint8_t, result, base C.uint64_t, fields C.uint32_t, out *C.citadel_rep_encoder) (s C.citadel_status) {
	defer guard(&s)
	if out == nil {
		return C.citadel_status(statusArgument)
	}
	h := netpeer.Header{Object: uint32(object), Full: full != 0, Result: uint64(result), Base: uint64(base)}
	e, err := newEncoder(h, uint32(fields))
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	*out = C.citadel_rep_encoder(register(e))
	return C.citadel_status(statusOK)
}

//export citadel_rep_encoder_set_schema
func citadel_rep_encoder_set_schema(id C.citadel_rep_encoder, hash *C.uint8_t, version C.uint32_t) (s C.citadel_status) {
	defer guard(&s)
	return with(id, func(e *encoder) error {
		if hash == nil {
			return e.do(func() error { return errArgument })
		}
		return e.setSchema(schema.Identity{Hash: *(*schema.Hash)(unsafe.Pointer(hash)), Version: uint32(version)})
	})
}

// with calls f with an encoder.
func with(id C.citadel_rep_encoder, f func(*encoder) error) C.citadel_status {
	e, err := find(uint64(id))
	if err == nil {
		err = f(e)
	}
	return C.citadel_status(statusOf(err))
}

// value is a function that makes the value of a field, or says that there is no field to make one for.
type value = func(*netpeer.Field) (netpeer.Value, error)

// impossible is the value of a field that could not be described.
func impossible(err error) value {
	return func(*netpeer.Field) (netpeer.Value, error) { return netpeer.Value{}, err }
}

//export citadel_rep_encoder_add_bool
func citadel_rep_encoder_add_bool(id C.citadel_rep_encoder, field C.uint32_t, v C.uint8_t) (s C.citadel_status) {
	defer guard(&s)
	return with(id, func(e *encoder) error {
		return e.add(uint32(field), netpeer.Bool(), func(f *netpeer.Field) (netpeer.Value, error) { return f.Bool(v != 0) })
	})
}

//export citadel_rep_encoder_add_int
func citadel_rep_encoder_add_int(id C.citadel_rep_encoder, field C.uint32_t, min, max, v C.int64_t) (s C.citadel_status) {
	defer guard(&s)
	return with(id, func(e *encoder) error {
		return e.add(uint32(field), netpeer.Int(int64(min), int64(max)), func(f *netpeer.Field) (netpeer.Value, error) { return f.Int(int64(v)) })
	})
}

//export citadel_rep_encoder_add_scalar
func citadel_rep_encoder_add_scalar(id C.citadel_rep_encoder, field C.uint32_t, min, max C.float, perUnit C.uint32_t, v C.float) (s C.citadel_status) {
	defer guard(&s)
	return with(id, func(e *encoder) error {
		codec, err := quant.NewScalar(float32(min), float32(max), uint32(perUnit))
		if err != nil {
			return e.add(uint32(field), netpeer.Bool(), impossible(err))
		}
		return e.add(uint32(field), netpeer.Scalar(codec), func(f *netpeer.Field) (netpeer.Value, error) { return f.Scalar(float32(v)) })
	})
}

//export citadel_rep_encoder_add_vector3
func citadel_rep_encoder_add_vector3(id C.citadel_rep_encoder, field C.uint32_t, min, max *C.float, perUnit C.uint32_t, v *C.float) (s C.citadel_status) {
	defer guard(&s)
	return with(id, func(e *encoder) error {
		if min == nil || max == nil || v == nil {
			return e.add(uint32(field), netpeer.Bool(), impossible(errArgument))
		}
		codec, err := quant.NewVector(floats3(min), floats3(max), uint32(perUnit))
		if err != nil {
			return e.add(uint32(field), netpeer.Bool(), impossible(err))
		}
		return e.add(uint32(field), netpeer.Vector(codec), func(f *netpeer.Field) (netpeer.Value, error) { return f.Vector(floats3(v)) })
	})
}

//export citadel_rep_encoder_add_quat
func citadel_rep_encoder_add_quat(id C.citadel_rep_encoder, field, bits C.uint32_t, quat *C.float) (s C.citadel_status) {
	defer guard(&s)
	return with(id, func(e *encoder) error {
		mode, err := quatMode(bits)
		if quat == nil {
			err = errArgument
		}
		if err != nil {
			return e.add(uint32(field), netpeer.Bool(), impossible(err))
		}
		return e.add(uint32(field), netpeer.Quat(mode), func(f *netpeer.Field) (netpeer.Value, error) { return f.Quat(floats4(quat)) })
	})
}

//export citadel_rep_encoder_add_bytes
func citadel_rep_encoder_add_bytes(id C.citadel_rep_encoder, field, maxLen C.uint32_t, p *C.uint8_t, n C.size_t) (s C.citadel_status) {
	defer guard(&s)
	return with(id, func(e *encoder) error {
		return e.add(uint32(field), netpeer.Bytes(uint32(maxLen)), func(f *netpeer.Field) (netpeer.Value, error) { return bytesValue(f, p, n) })
	})
}

func bytesValue(f *netpeer.Field, p *C.uint8_t, n C.size_t) (netpeer.Value, error) {
	b, err := sliceOf(p, n, netpeer.MaxBytes, netpeer.ErrBytesTooLong)
	if err != nil {
		return netpeer.Value{}, err
	}
	return f.Bytes(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b))), len(b)))
}

//export citadel_rep_encoder_add_collection
func citadel_rep_encoder_add_collection(
	id C.citadel_rep_encoder, field C.uint32_t, codec *C.citadel_item_codec, maxItems C.uint32_t,
	removed *C.citadel_element_id, removedCount C.size_t,
	added *C.citadel_element, addedCount C.size_t,
	changed *C.citadel_element, changedCount C.size_t,
) (s C.citadel_status) {
	defer guard(&s)
	return with(id, func(e *encoder) error {
		item, err := itemField(codec)
		if err != nil {
			return e.add(uint32(field), netpeer.Bool(), impossible(err))
		}
		return e.add(uint32(field), netpeer.Collection(item, uint32(maxItems)), func(f *netpeer.Field) (netpeer.Value, error) {
			var d netpeer.CollectionDelta
			ids, err := sliceOf(removed, removedCount, netpeer.MaxItems, netpeer.ErrTooManyItems)
			if err != nil {
				return netpeer.Value{}, err
			}
			for _, id := range ids {
				d.Removed = append(d.Removed, elementID(id))
			}
			if d.Added, err = elements(f.Item(), added, addedCount); err != nil {
				return netpeer.Value{}, err
			}
			if d.Changed, err = elements(f.Item(), changed, changedCount); err != nil {
				return netpeer.Value{}, err
			}
			return f.Collection(&d)
		})
	})
}

// itemField describes the elements of a collection.
func itemField(c *C.citadel_item_codec) (netpeer.Field, error) {
	if c == nil {
		return netpeer.Field{}, errArgument
	}
	switch c.kind {
	case C.CITADEL_BOOL:
		return netpeer.Bool(), nil
	case C.CITADEL_INT:
		return netpeer.Int(int64(c.int_min), int64(c.int_max)), nil
	case C.CITADEL_SCALAR:
		codec, err := quant.NewScalar(float32(c.min[0]), float32(c.max[0]), uint32(c.values_per_unit))
		if err != nil {
			return netpeer.Field{}, err
		}
		return netpeer.Scalar(codec), nil
	case C.CITADEL_VECTOR3:
		codec, err := quant.NewVector(floats3(&c.min[0]), floats3(&c.max[0]), uint32(c.values_per_unit))
		if err != nil {
			return netpeer.Field{}, err
		}
		return netpeer.Vector(codec), nil
	case C.CITADEL_QUAT:
		mode, err := quatMode(c.bits_per_component)
		if err != nil {
			return netpeer.Field{}, err
		}
		return netpeer.Quat(mode), nil
	case C.CITADEL_BYTES:
		return netpeer.Bytes(uint32(c.max_len)), nil
	}
	return netpeer.Field{}, errArgument
}

func elementID(id C.citadel_element_id) netpeer.ElementID {
	return netpeer.ElementID{Index: uint32(id.index), Generation: uint32(id.generation)}
}

// elements reads a list of elements. Byte strings are borrowed from C.
func elements(item *netpeer.Field, list *C.citadel_element, n C.size_t) ([]netpeer.Element, error) {
	from, err := sliceOf(list, n, netpeer.MaxItems, netpeer.ErrTooManyItems)
	if err != nil {
		return nil, err
	}
	var to []netpeer.Element
	for i := range from {
		c := &from[i]
		v, err := elementValue(item, c)
		if err != nil {
			return nil, err
		}
		to = append(to, netpeer.Element{ID: elementID(c.id), Key: uint64(c.key), Value: v})
	}
	return to, nil
}

func elementValue(item *netpeer.Field, c *C.citadel_element) (netpeer.Value, error) {
	switch item.Kind() {
	case netpeer.KindBool:
		return item.Bool(c.integer != 0)
	case netpeer.KindInt:
		return item.Int(int64(c.integer))
	case netpeer.KindScalar:
		return item.Scalar(float32(c.numbers[0]))
	case netpeer.KindVector:
		return item.Vector(floats3(&c.numbers[0]))
	case netpeer.KindQuat:
		return item.Quat(floats4(&c.numbers[0]))
	}
	return bytesValue(item, c.bytes, c.bytes_len)
}

//export citadel_rep_encoder_finish
func citadel_rep_encoder_finish(id C.citadel_rep_encoder, out *C.uint8_t, capacity C.size_t, outLen *C.size_t) (s C.citadel_status) {
	defer guard(&s)
	if outLen == nil {
		return C.citadel_status(statusArgument)
	}
	*outLen = 0
	e, err := find(uint64(id))
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	packet, err := e.finish()
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	*outLen = C.size_t(len(packet))
	if out == nil || uint64(capacity) < uint64(len(packet)) {
		return C.citadel_status(statusBuffer)
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(out)), len(packet)), packet)
	return C.citadel_status(statusOK)
}

//export citadel_rep_encoder_free
func citadel_rep_encoder_free(id C.citadel_rep_encoder) (s C.citadel_status) {
	defer guard(&s)
	return C.citadel_status(statusOf(forget(uint64(id))))
}
