// Package registry gives meaning to the type ids in a session's commands: it maps each id to a Go type, the
// codec of its payload and whether clients predict it.
//
// An id is 64 bits and not zero. Usually it is the hash of a name ([HashName], [IDOf]), so that both ends
// derive it without agreeing on a list; it may also be pinned to any number. A [Registry] is filled at set-up,
// once per type:
//
//	r := registry.New()
//	move, err := registry.Register(r, registry.IDOf[Move](), registry.Options[Move]{Predicted: true})
//
// [Register] refuses whatever would make an id ambiguous. It returns a [Type], the typed handle through which
// payloads are encoded and decoded; a [Dispatcher] goes the other way, from the id in a received header to
// code that wants the decoded payload. Peers that register the same ids with the same prediction flags have
// the same [Registry.Digest], whatever the order in which they did it.
//
// Reflection is used while registering and not after. Encoding, decoding, dispatching and looking up an id
// allocate nothing of their own.
//
// Registering is not safe for concurrent use. Once that is done, a Registry and the handles from it may be
// used by several goroutines, as far as the codecs may.
package registry
