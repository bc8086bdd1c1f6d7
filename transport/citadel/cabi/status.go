package main

import (
	"errors"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// status is what a function of the library returns; citadel.h has the meanings.
type status int32

const (
	statusOK status = iota
	statusArgument
	statusSpec
	statusValue
	statusCode
	statusFields
	statusToken
	statusFailed
	statusBuffer
	statusInternal
)

var errArgument = errors.New("cabi: unusable argument")

// statusOf says in a number what an error is.
func statusOf(err error) status {
	if err == nil {
		return statusOK
	}
	for _, c := range []struct {
		target error
		status status
	}{
		{errFailed, statusFailed},
		{errArgument, statusArgument},
		{netpeer.ErrField, statusArgument},
		{netpeer.ErrFieldOrder, statusArgument}, // given twice
		{quant.ErrInvalidSpec, statusSpec},
		{quant.ErrInvalidCode, statusCode},
		{quant.ErrNotANumber, statusValue},
		{schema.ErrTooManyFields, statusFields},
		{schema.ErrFieldOrder, statusFields},
		{netpeer.ErrZeroToken, statusToken},
		{netpeer.ErrInvalidSchema, statusSpec},
		{netpeer.ErrBytesTooLong, statusValue},
		{netpeer.ErrTooManyItems, statusValue},
		{netpeer.ErrDuplicateID, statusValue},
	} {
		if errors.Is(err, c.target) {
			return c.status
		}
	}
	return statusInternal
}
