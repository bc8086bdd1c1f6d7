package wire

import (
	"fmt"
	"strconv"
)

// MatchmakerMatched is the body of a [KindMatchmakerMatched]: a match has been found for a ticket. It is JSON:
//
//	{"ticket_id": string, "match_id": u64, "join_token": string, "expires_at": integer}
type MatchmakerMatched struct {
	Ticket    string
	Match     uint64 // does not authorize anything by itself
	JoinToken string // secret; to be given back to the matchmaker
	ExpiresAt int64  // until when JoinToken is good, in milliseconds since 1970; not negative
}

// AppendMatchmakerMatched appends the encoding of m. Text that is not UTF-8, a negative ExpiresAt and what would
// become longer than [MaxJSON] are errors; dst is then returned as it was.
func AppendMatchmakerMatched(dst []byte, m MatchmakerMatched) ([]byte, error) {
	b := append(dst, `{"ticket_id":`...)
	b = appendText(b, m.Ticket)
	b = append(b, `,"match_id":`...)
	b = strconv.AppendUint(b, m.Match, 10)
	b = append(b, `,"join_token":`...)
	b = appendText(b, m.JoinToken)
	b = append(b, `,"expires_at":`...)
	b = strconv.AppendInt(b, m.ExpiresAt, 10)
	b = append(b, '}')
	_, err := ParseMatchmakerMatched(b[len(dst):])
	return checked(dst, b, err)
}

// ParseMatchmakerMatched reads a whole body, and copies what it keeps. All four members must be there, spelt
// exactly so. Others are ignored, since the documents do not call this schema closed. Errors are [ErrJSON] and
// [ErrMember].
func ParseMatchmakerMatched(b []byte) (MatchmakerMatched, error) {
	members, err := parseObject(b)
	if err != nil {
		return MatchmakerMatched{}, err
	}
	var m MatchmakerMatched
	var expires uint64
	found := 0
	for _, f := range members {
		found++
		switch string(f.name) {
		case "ticket_id":
			m.Ticket, err = f.text()
		case "match_id":
			m.Match, err = f.unsigned(64)
		case "join_token":
			m.JoinToken, err = f.text()
		case "expires_at":
			expires, err = f.unsigned(63)
		default:
			found--
		}
		if err != nil {
			return MatchmakerMatched{}, err
		}
	}
	if found < 4 {
		return MatchmakerMatched{}, fmt.Errorf("%w: %d of 4 members are there", ErrMember, found)
	}
	m.ExpiresAt = int64(expires)
	return m, nil
}
