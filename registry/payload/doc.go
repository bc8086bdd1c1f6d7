// Package payload holds what the code written by netcmdgen has in common: the errors of its codecs. Programs meet
// it when they ask why a payload was refused:
//
//	if e, ok := errors.AsType[*payload.Error](err); ok && errors.Is(e, payload.ErrRange) { ... }
//
// Nothing here is kept from call to call, and only the making of an error allocates.
package payload
