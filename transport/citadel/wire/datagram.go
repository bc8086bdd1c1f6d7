package wire

import "encoding/binary"

// AppendDatagram appends the datagram encoding of an envelope.
func AppendDatagram(dst []byte, kind Kind, body []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(kind))
	return append(dst, body...)
}

// ParseDatagram reads the envelope that fills a datagram. The only error is [ErrDatagramTooSmall].
func ParseDatagram(b []byte) (Envelope, error) {
	if len(b) < KindBytes {
		return Envelope{}, ErrDatagramTooSmall
	}
	return Envelope{Kind: Kind(binary.BigEndian.Uint16(b)), Body: b[KindBytes:]}, nil
}
