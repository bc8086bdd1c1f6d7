package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

const matched = `{"ticket_id":"t-1","match_id":42,"join_token":"secret","expires_at":1735689630000}`

func TestMatchmakerMatched(t *testing.T) {
	want := wire.MatchmakerMatched{Ticket: "t-1", Match: 42, JoinToken: "secret", ExpiresAt: 1735689630000}
	got, err := wire.ParseMatchmakerMatched([]byte(matched))
	require.NoError(t, err)
	require.Equal(t, want, got)
	b, err := wire.AppendMatchmakerMatched([]byte("b"), want)
	require.NoError(t, err)
	require.Equal(t, "b"+matched, string(b))

	// In another order, with space, escapes, and members of a later version.
	got, err = wire.ParseMatchmakerMatched([]byte(` {"expires_at": 1735689630000, "region": {"x": [1]}, "Match_ID": 1,
		"match_id" : 42, "\u006aoin_token": "\u0073ecret", "ticket_id": "t-1"} `))
	require.NoError(t, err)
	require.Equal(t, want, got)

	for _, m := range []wire.MatchmakerMatched{
		{},
		{Ticket: "\"\\\u0000\u001f\u2028<&>é🙂", Match: math.MaxUint64, ExpiresAt: math.MaxInt64},
		{Match: 1<<53 + 1, JoinToken: "\n"},
	} {
		b, err := wire.AppendMatchmakerMatched(nil, m)
		require.NoError(t, err)
		got, err := wire.ParseMatchmakerMatched(b)
		require.NoError(t, err)
		require.Equal(t, m, got)
	}
}

func TestMatchmakerMatchedRefused(t *testing.T) {
	for name, change := range map[string][2]string{
		"no ticket":            {`"ticket_id":"t-1",`, ``},
		"no expiry":            {`,"expires_at":1735689630000`, ``},
		"name in another case": {`ticket_id`, `Ticket_ID`},
		"null ticket":          {`"t-1"`, `null`},
		"number as ticket":     {`"t-1"`, `1`},
		"text as match":        {`42`, `"42"`},
		"float match":          {`42`, `42.0`},
		"match with exponent":  {`42`, `42e0`},
		"negative match":       {`42`, `-42`},
		"negative zero":        {`42`, `-0`},
		"match beyond 64 bits": {`42`, `18446744073709551616`},
		"expiry beyond int64":  {`1735689630000`, `9223372036854775808`},
		"negative expiry":      {`1735689630000`, `-1`},
		"expiry as text":       {`1735689630000`, `"1735689630000"`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, matched, change[0])
			m, err := wire.ParseMatchmakerMatched([]byte(strings.Replace(matched, change[0], change[1], 1)))
			require.ErrorIs(t, err, wire.ErrMember)
			require.Zero(t, m)
		})
	}
	for n := range len(matched) {
		_, err := wire.ParseMatchmakerMatched([]byte(matched[:n]))
		require.ErrorIs(t, err, wire.ErrJSON, "%d bytes", n)
	}
	dst := []byte("kept")
	for want, m := range map[error]wire.MatchmakerMatched{
		wire.ErrJSON:   {Ticket: "\xff"},
		wire.ErrMember: {ExpiresAt: -1},
	} {
		out, err := wire.AppendMatchmakerMatched(dst, m)
		require.ErrorIs(t, err, want)
		require.Equal(t, dst, out)
	}
	_, err := wire.AppendMatchmakerMatched(nil, wire.MatchmakerMatched{JoinToken: strings.Repeat("a", wire.MaxJSON)})
	require.ErrorIs(t, err, wire.ErrJSON)
}

// chatEvents has an event of each type, in the spelling of the encoder.
var chatEvents = []struct {
	text  string
	event wire.ChatEvent
}{
	{
		`{"version":1,"type":"message.create","channel_id":"general","event_id":18446744073709551615,"message":{"text":"hi"}}`,
		wire.ChatEvent{
			Type: wire.ChatCreate, Channel: wire.TextID("general"), Event: wire.NumberID(math.MaxUint64),
			Message: []byte(`{"text":"hi"}`),
		},
	},
	{
		`{"version":1,"type":"message.edit","channel_id":7,"event_id":"e-1","message":{}}`,
		wire.ChatEvent{Type: wire.ChatEdit, Channel: wire.NumberID(7), Event: wire.TextID("e-1"), Message: []byte(`{}`)},
	},
	{
		`{"version":1,"type":"message.tombstone","channel_id":"c","event_id":0,"message":{"deleted":true}}`,
		wire.ChatEvent{
			Type: wire.ChatTombstone, Channel: wire.TextID("c"), Event: wire.NumberID(0), Message: []byte(`{"deleted":true}`),
		},
	},
	{
		`{"version":1,"type":"presence.join","channel_id":"c","presence":{"user":"a"}}`,
		wire.ChatEvent{Type: wire.ChatJoin, Channel: wire.TextID("c"), Presence: []byte(`{"user":"a"}`)},
	},
	{
		`{"version":1,"type":"presence.leave","channel_id":"c","presence":"a"}`,
		wire.ChatEvent{Type: wire.ChatLeave, Channel: wire.TextID("c"), Presence: []byte(`"a"`)},
	},
	{
		`{"version":1,"type":"typing","channel_id":"c","presence":"a","typing":true,"expires_at":1735689630000}`,
		wire.ChatEvent{
			Type: wire.ChatTyping, Channel: wire.TextID("c"), Presence: []byte(`"a"`), Typing: true, ExpiresAt: 1735689630000,
		},
	},
	{
		`{"version":1,"type":"access.revoked","channel_id":"c"}`,
		wire.ChatEvent{Type: wire.ChatRevoked, Channel: wire.TextID("c")},
	},
	{
		`{"version":1,"type":"resync_required","channel_id":"c","watermark_event_id":12}`,
		wire.ChatEvent{Type: wire.ChatResync, Channel: wire.TextID("c"), Watermark: wire.NumberID(12)},
	},
}

func sameEvent(a, b wire.ChatEvent) bool {
	same := bytes.Equal(a.Message, b.Message) && bytes.Equal(a.Presence, b.Presence)
	a.Message, a.Presence, b.Message, b.Presence = nil, nil, nil, nil
	return same && fmt.Sprint(a) == fmt.Sprint(b) && a.Event == b.Event && a.Channel == b.Channel && a.Watermark == b.Watermark
}

func TestChatEvents(t *testing.T) {
	met := map[wire.ChatType]bool{}
	for _, c := range chatEvents {
		t.Run(c.event.Type.String(), func(t *testing.T) {
			met[c.event.Type] = true
			got, err := wire.ParseChatEvent([]byte(c.text))
			require.NoError(t, err)
			require.Equal(t, c.event, got)
			b, err := wire.AppendChatEvent([]byte("b"), c.event)
			require.NoError(t, err)
			require.Equal(t, "b"+c.text, string(b))
			require.Equal(t, strings.Contains(c.text, `"event_id"`), c.event.Type.Durable())

			// What is raw stays as it is, space and all, and is a view.
			spaced := []byte(strings.ReplaceAll(c.text, ":", " :\n"))
			got, err = wire.ParseChatEvent(spaced)
			require.NoError(t, err)
			if got.Message != nil {
				require.Contains(t, string(spaced), string(got.Message))
				require.True(t, lies(got.Message, spaced))
			}
			for n := range len(c.text) {
				e, err := wire.ParseChatEvent([]byte(c.text[:n]))
				require.ErrorIs(t, err, wire.ErrJSON)
				require.Zero(t, e)
			}
		})
	}
	require.Len(t, met, int(wire.ChatResync))
}

// The schema is closed: each member of an event is needed, and no other is allowed, be it of another type.
func TestChatSchemaIsClosed(t *testing.T) {
	foreign := []string{
		`"event_id":1`, `"message":{}`, `"presence":{}`, `"typing":false`, `"expires_at":0`, `"watermark_event_id":1`,
		`"event_id":null`, `"presence":null`, `"Type":"typing"`, `"TYPE":1`, `"channelId":1`, `"version2":1`, `"":1`, `"typ":1`,
	}
	for _, c := range chatEvents {
		t.Run(c.event.Type.String(), func(t *testing.T) {
			refused := func(text string) {
				t.Helper()
				e, err := wire.ParseChatEvent([]byte(text))
				require.Error(t, err, text)
				require.True(t, isAny(err, wire.ErrMember, wire.ErrJSON), err)
				require.Zero(t, e)
			}
			members := topMembers(c.text)
			for i := range members {
				without := append(append([]string{}, members[:i]...), members[i+1:]...)
				refused("{" + strings.Join(without, ",") + "}")
			}
			for _, m := range foreign {
				refused("{" + strings.Join(append([]string{m}, members...), ",") + "}")
				refused("{" + strings.Join(append(members[:len(members):len(members)], m), ",") + "}")
			}
			for _, m := range members {
				name, _, _ := strings.Cut(m, ":")
				for _, wrong := range []string{`null`, `[]`, `1.5`, `-1`, `18446744073709551616`} {
					if name == `"presence"` && wrong != `null` {
						continue // may be anything else
					}
					refused(strings.Replace(c.text, m, name+":"+wrong, 1))
				}
				refused(strings.Replace(c.text, m, m+","+m, 1))
			}
		})
	}
}

// topMembers cuts one of the texts above into its members; none of them has an object of more than one member.
func topMembers(text string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"), ",")
}

func isAny(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

func TestChatVersion(t *testing.T) {
	for _, v := range []string{"0", "2", "18446744073709551615"} {
		e, err := wire.ParseChatEvent([]byte(`{"version":` + v + `,"type":"access.revoked","channel_id":1}`))
		require.ErrorIs(t, err, wire.ErrVersion)
		require.Zero(t, e)
	}
	for _, v := range []string{`"1"`, `1.0`, `true`} {
		_, err := wire.ParseChatEvent([]byte(`{"version":` + v + `,"type":"access.revoked","channel_id":1}`))
		require.ErrorIs(t, err, wire.ErrMember)
	}
	for _, typ := range []string{"", "Typing", "typing ", "message.delete", "resync"} {
		_, err := wire.ParseChatEvent([]byte(`{"version":1,"type":"` + typ + `","channel_id":1}`))
		require.ErrorIs(t, err, wire.ErrMember)
	}
}

// An encoder writes nothing that its decoder would refuse or understand otherwise.
func TestChatEncoderRefuses(t *testing.T) {
	create, typing, resync := chatEvents[0].event, chatEvents[5].event, chatEvents[7].event
	for name, c := range map[string]struct {
		event wire.ChatEvent
		want  error
	}{
		"no type":             {wire.ChatEvent{Channel: wire.TextID("c")}, wire.ErrMember},
		"unknown type":        {wire.ChatEvent{Type: wire.ChatResync + 1, Channel: wire.TextID("c")}, wire.ErrMember},
		"no channel":          {wire.ChatEvent{Type: wire.ChatRevoked}, wire.ErrMember},
		"channel not UTF-8":   {wire.ChatEvent{Type: wire.ChatRevoked, Channel: wire.TextID("\xff")}, wire.ErrJSON},
		"no event id":         {with(create, func(e *wire.ChatEvent) { e.Event = wire.ID{} }), wire.ErrMember},
		"no message":          {with(create, func(e *wire.ChatEvent) { e.Message = nil }), wire.ErrMember},
		"empty message":       {with(create, func(e *wire.ChatEvent) { e.Message = []byte{} }), wire.ErrJSON},
		"message no object":   {with(create, func(e *wire.ChatEvent) { e.Message = []byte(`[]`) }), wire.ErrMember},
		"message and more":    {with(create, func(e *wire.ChatEvent) { e.Message = []byte(`{},"x":1`) }), wire.ErrJSON},
		"message too deep":    {with(create, func(e *wire.ChatEvent) { e.Message = []byte(nested(wire.MaxJSONDepth)) }), wire.ErrJSON},
		"no presence":         {with(typing, func(e *wire.ChatEvent) { e.Presence = nil }), wire.ErrMember},
		"smuggled member":     {with(typing, func(e *wire.ChatEvent) { e.Presence = []byte(`1,"typing":false`) }), wire.ErrJSON},
		"negative expiry":     {with(typing, func(e *wire.ChatEvent) { e.ExpiresAt = -1 }), wire.ErrMember},
		"typing with event":   {with(typing, func(e *wire.ChatEvent) { e.Event = wire.NumberID(0) }), wire.ErrMember},
		"typing, watermark":   {with(typing, func(e *wire.ChatEvent) { e.Watermark = wire.NumberID(0) }), wire.ErrMember},
		"create, typing":      {with(create, func(e *wire.ChatEvent) { e.Typing = true }), wire.ErrMember},
		"create, expiry":      {with(create, func(e *wire.ChatEvent) { e.ExpiresAt = 1 }), wire.ErrMember},
		"create, presence":    {with(create, func(e *wire.ChatEvent) { e.Presence = []byte(`1`) }), wire.ErrMember},
		"resync with message": {with(resync, func(e *wire.ChatEvent) { e.Message = []byte(`{}`) }), wire.ErrMember},
		"no watermark":        {with(resync, func(e *wire.ChatEvent) { e.Watermark = wire.ID{} }), wire.ErrMember},
	} {
		t.Run(name, func(t *testing.T) {
			dst := []byte("kept")
			out, err := wire.AppendChatEvent(dst, c.event)
			require.ErrorIs(t, err, c.want)
			require.Equal(t, dst, out)
		})
	}
	require.Equal(t, "type(99)", wire.ChatType(99).String())
	require.False(t, wire.ChatType(0).Durable())
}

func with(e wire.ChatEvent, change func(*wire.ChatEvent)) wire.ChatEvent {
	change(&e)
	return e
}
