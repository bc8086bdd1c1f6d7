package conformance

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// errorClasses are the corpus's names for root causes, and the errors that stand for them here.
var errorClasses = map[string][]error{
	"too_short":           {wire.ErrTooShort},
	"out_of_range":        {wire.ErrOutOfRange},
	"count_mismatch":      {wire.ErrCount},
	"unsupported_version": {wire.ErrVersion},
	"frame_too_large":     {wire.ErrFrameTooLarge},
	"frame_too_small":     {wire.ErrFrameTooSmall},
	"datagram_too_small":  {wire.ErrDatagramTooSmall},
	"need_more":           {errNeedMore},

	"bit_overrun":          {bitpack.ErrOverrun},
	"noncanonical_padding": {bitpack.ErrPadding},
	"varint_too_long":      {bitpack.ErrVarintLong},
	"varint_overflow":      {bitpack.ErrVarintOverflow},
	"varint_noncanonical":  {bitpack.ErrVarintOverlong},
	"codec":                {quant.ErrInvalidCode, quant.ErrNotANumber, quant.ErrInvalidSpec},

	"zero_token":           {netpeer.ErrZeroToken},
	"schema_mismatch":      {netpeer.ErrSchemaMismatch},
	"bytes_too_long":       {netpeer.ErrBytesTooLong},
	"collection_too_large": {netpeer.ErrTooManyItems},
	"too_many_bunches":     {netpeer.ErrTooManyBunches},
	"alloc_budget":         {netpeer.ErrBudget},
	"duplicate_rep_id":     {netpeer.ErrDuplicateID},
	"invalid_schema":       {netpeer.ErrInvalidSchema},
	"value_kind_mismatch":  {netpeer.ErrKind},
	"field_out_of_range":   {netpeer.ErrField},
}
