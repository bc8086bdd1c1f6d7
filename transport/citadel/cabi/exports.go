package main

/*
#define CITADEL_TYPES_ONLY
#include "citadel.h"
*/
import "C"

import (
	"unsafe"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// guard turns a panic, which must not unwind into C, into a status. It is deferred.
func guard(s *C.citadel_status) {
	if recover() != nil {
		*s = C.citadel_status(statusInternal)
	}
}

// sliceOf is a view of C memory with n elements; an element count beyond most is refused before the pointer is looked
// at. No view outlives the call that it was made in.
func sliceOf[T any](p *T, n C.size_t, most int, tooMany error) ([]T, error) {
	switch {
	case uint64(n) > uint64(most):
		return nil, tooMany
	case n == 0:
		return nil, nil
	case p == nil:
		return nil, errArgument
	}
	return unsafe.Slice(p, int(n)), nil
}

//export citadel_quantize_scalar
func citadel_quantize_scalar(min, max C.float, perUnit C.uint32_t, value C.float, out *C.uint64_t) (s C.citadel_status) {
	defer guard(&s)
	if out == nil {
		return C.citadel_status(statusArgument)
	}
	codec, err := quant.NewScalar(float32(min), float32(max), uint32(perUnit))
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	code, err := codec.Encode(float32(value))
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	*out = C.uint64_t(code)
	return C.citadel_status(statusOK)
}

//export citadel_dequantize_scalar
func citadel_dequantize_scalar(min, max C.float, perUnit C.uint32_t, code C.uint64_t, out *C.float) (s C.citadel_status) {
	defer guard(&s)
	if out == nil {
		return C.citadel_status(statusArgument)
	}
	codec, err := quant.NewScalar(float32(min), float32(max), uint32(perUnit))
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	value, err := codec.Decode(uint64(code))
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	*out = C.float(value)
	return C.citadel_status(statusOK)
}

// quatMode returns the mode of a width, which may be any number.
func quatMode(bits C.uint32_t) (quant.QuatMode, error) {
	if bits > 0xff {
		return 0, quant.ErrInvalidSpec
	}
	mode := quant.QuatMode(bits)
	return mode, mode.Check()
}

// floats4 and floats3 read C arrays.
func floats4(p *C.float) [4]float32 { return *(*[4]float32)(unsafe.Pointer(p)) }
func floats3(p *C.float) [3]float32 { return *(*[3]float32)(unsafe.Pointer(p)) }

//export citadel_quat_encode_components
func citadel_quat_encode_components(quat *C.float, bits C.uint32_t, outIndex *C.uint8_t, outCodes *C.uint32_t) (s C.citadel_status) {
	defer guard(&s)
	if quat == nil || outIndex == nil || outCodes == nil {
		return C.citadel_status(statusArgument)
	}
	mode, err := quatMode(bits)
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	index, codes := mode.EncodeComponents(floats4(quat))
	*outIndex = C.uint8_t(index)
	*(*[3]uint32)(unsafe.Pointer(outCodes)) = codes
	return C.citadel_status(statusOK)
}

//export citadel_quat_decode_components
func citadel_quat_decode_components(index C.uint8_t, codes *C.uint32_t, bits C.uint32_t, out *C.float) (s C.citadel_status) {
	defer guard(&s)
	if codes == nil || out == nil {
		return C.citadel_status(statusArgument)
	}
	mode, err := quatMode(bits)
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	q, err := mode.DecodeComponents(uint8(index), *(*[3]uint32)(unsafe.Pointer(codes)))
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	*(*[4]float32)(unsafe.Pointer(out)) = q
	return C.citadel_status(statusOK)
}

//export citadel_schema_hash
func citadel_schema_hash(version C.uint32_t, fields *C.citadel_field, count C.size_t, out *C.uint8_t) (s C.citadel_status) {
	defer guard(&s)
	if out == nil {
		return C.citadel_status(statusArgument)
	}
	list, err := sliceOf(fields, count, maxFields, schema.ErrTooManyFields)
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	tuples := make([]schema.Field, len(list))
	for i, f := range list {
		tuples[i] = schema.Field{
			ID: uint16(f.field_id), TypeTag: uint16(f.type_tag), CodecID: uint16(f.codec_id),
			Cond: uint8(f.cond), Authority: uint8(f.authority), Bounds: uint64(f.bounds_shape),
		}
	}
	hash, err := schema.HashFields(uint32(version), tuples)
	if err != nil {
		return C.citadel_status(statusOf(err))
	}
	*(*schema.Hash)(unsafe.Pointer(out)) = hash
	return C.citadel_status(statusOK)
}
