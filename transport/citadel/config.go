package citadel

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// ALPN is the application protocol that both ends must speak.
const ALPN = "citadel/0"

// The defaults.
const (
	DefaultHandshakeTimeout    = 5 * time.Second
	DefaultIdleTimeout         = 1800 * time.Millisecond
	DefaultKeepAlive           = 500 * time.Millisecond
	DefaultLinger              = time.Second
	DefaultSessionFrameTimeout = 2 * time.Minute
	DefaultMaxSessionEnvelope  = 64 << 10
	DefaultMaxSessionFrame     = 64 << 20
	DefaultOutboundBytes       = 4 << 20
	DefaultOutboundFrames      = 16384
	DefaultOutboundDatagrams   = 64
	DefaultInboundBytes        = 1 << 20
	DefaultInboundDatagrams    = 256
	DefaultMaxStreams          = 256
	DefaultMaxTokenBytes       = 8 << 10
	DefaultMaxConnections      = 1024
	DefaultMaxHalfOpen         = 256
	DefaultMaxReassembly       = 256 << 20
)

// Flow control windows of QUIC in bytes: what a peer may have sent that nobody has read. They start small, which
// also bounds what an unauthenticated peer can make a server hold, and grow for a peer that is read quickly.
const (
	streamWindow     = 256 << 10
	maxStreamWindow  = 2 << 20
	connectionWindow = 256 << 10
	maxConnWindow    = 4 << 20
)

const (
	mostStreams = 1024
	maxParked   = 2 // see streamChain
)

// Config is what both ends of a connection configure alike. The zero value is useful: a zero field means its
// default.
//
// What a connection can make this process hold is bounded, whatever the peer does: twice OutboundBytes, twice
// InboundBytes, OutboundDatagrams and InboundDatagrams of up to one packet each, 4 MiB that QUIC has received and
// nobody has read, MaxSessionFrame for a split frame that is still arriving, and up to twice MaxEnvelope for each
// of at most six streams that have sent part of an envelope. For the last two, [ListenConfig.MaxReassembly]
// bounds all connections together. Nothing of it is allocated before the bytes are there.
type Config struct {
	// Inbox receives what happens on the connection. Nil means a new one.
	Inbox *Inbox

	// Logger receives a line when connections open and close. Nil means none. Tokens are never logged.
	Logger *slog.Logger

	// Tracer makes the qlog traces of QUIC connections. Nil means none, which is much cheaper.
	Tracer Tracer

	// HandshakeTimeout bounds the QUIC handshake, and after it the authentication.
	HandshakeTimeout time.Duration

	// IdleTimeout is how long a peer may be silent before the connection is given up with ErrTimeout. Over a
	// path whose round trip takes more than a quarter second it may take a little longer. The smaller value
	// of the two ends counts.
	IdleTimeout time.Duration

	// KeepAlive is how often an otherwise silent connection asks for a sign of life. It must leave at least
	// half of IdleTimeout for the answer.
	KeepAlive time.Duration

	// Linger bounds how long an orderly close waits for the peer to take what is still queued.
	Linger time.Duration

	// SessionKind and SessionPartKind are the envelope kinds of session frames, whole and in parts. They must
	// be the same at both ends. Zero means wire.KindSession and wire.KindSessionPart.
	SessionKind, SessionPartKind wire.Kind

	// MaxSessionEnvelope is the size in bytes from which a session frame is sent in parts.
	MaxSessionEnvelope int

	// MaxSessionFrame is the largest session frame that is accepted, in bytes. A server that expects nothing
	// but small frames does well to lower it.
	MaxSessionFrame int

	// SessionFrameTimeout bounds how long a session frame that is sent in parts may take to arrive, from its
	// first part to its last. A peer that takes longer is disconnected with ErrSessionTooSlow, and what has
	// arrived is discarded.
	SessionFrameTimeout time.Duration

	// MaxEnvelope is the largest envelope that is accepted, in bytes of its body. Zero means wire.MaxBody,
	// which is also the most.
	MaxEnvelope int

	// OutboundBytes and OutboundFrames bound what waits to be sent reliably on a connection. A connection
	// whose peer is so slow that they are exceeded is closed with ErrOverflow.
	OutboundBytes, OutboundFrames int

	// OutboundDatagrams bounds the datagrams that wait to be sent. The oldest gives way to the newest.
	OutboundDatagrams int

	// DatagramFallback sends reliably what does not fit a datagram. Without it, [Conn.SendDatagram] refuses it.
	DatagramFallback bool

	// InboundBytes bounds what a connection may have in the inbox, in bytes, counting 64 for each event
	// beside its body. A connection that has reached it is not read until the inbox has been drained; QUIC's
	// flow control then holds the peer back. A single larger event passes when it is alone.
	InboundBytes int

	// InboundDatagrams bounds the datagrams of a connection in the inbox. What exceeds it is dropped.
	InboundDatagrams int

	// MaxStreams bounds the streams of each type that a peer may have open at once. At most 1024.
	MaxStreams int

	// SendStyle is how reliable envelopes are sent. Zero means OneStream.
	SendStyle SendStyle

	// ManualFlush keeps reliable envelopes back until [Conn.Flush] or [Listener.Flush] is called, or 64 KiB
	// of them are queued. A game loop that flushes once per tick gets one stream write per tick and
	// connection. Without it they leave as soon as the writing goroutine runs.
	ManualFlush bool
}

// ListenConfig configures a server.
type ListenConfig struct {
	Config

	// TLS holds at least a certificate, if the server listens for QUIC. It is cloned; ALPN and the minimal
	// version are set.
	TLS *tls.Config

	// ALPN names further protocols that QUIC clients may ask for on the same port, such as "h3", and who
	// serves them. Each connection is served on a goroutine of its own and is closed when serve returns; a
	// connection lets serve return by ending, which it does when the server shuts down. They are counted
	// apart from the server's own connections, and there may be twice as many.
	ALPN map[string]func(l *Listener, qc *quic.Conn)

	// Authenticator decides who gets in. Nil means [Guests].
	Authenticator Authenticator

	// MaxTokenBytes bounds the token of a handshake.
	MaxTokenBytes int

	// MaxConnections bounds the connections, those that have not authenticated yet included. Further ones
	// are closed with CodeServerFull.
	MaxConnections int

	// MaxConnectionsPerIP bounds the connections from one IPv4 address or one IPv6 network of 64 bits.
	// Further ones are closed with CodeAddressFull. Zero means no limit but MaxConnections.
	MaxConnectionsPerIP int

	// MaxHalfOpen bounds the connections that have not authenticated yet, and apart from them the QUIC
	// handshakes that are not complete. A newcomer beyond that takes the place of the one that has been
	// silent for longest. If all of them have presented a token and wait for the authenticator, it is closed
	// with CodeServerFull.
	MaxHalfOpen int

	// MaxReassembly bounds, for all connections together, the bytes buffered of what has not arrived completely:
	// of session frames in parts, and of envelopes beyond 64 KiB each. The connection that needs more is closed
	// with CodeExhausted.
	MaxReassembly int

	// StatelessResetKey, if set, lets a server that was restarted with the same key tell the clients of its
	// former life at once that it does not know them any more; their next packet of more than 42 bytes is
	// answered with a reset (ErrReset); to ask for a sign of life takes a smaller one. Without it they notice by
	// IdleTimeout.
	StatelessResetKey *[32]byte
}

// DialConfig configures a client.
type DialConfig struct {
	Config

	// Token is presented in the handshake. Empty asks for a guest session. It is copied.
	Token []byte

	// TLS is cloned; ALPN and the minimal version are set. Nil trusts the system's authorities.
	TLS *tls.Config

	// Pin, if set, replaces the authorities: the server's certificate must have this SHA-256 hash, as hex,
	// and be within its dates. See [DevCertificate].
	Pin string
}

// fill gives a field its default. The first negative one is an error.
func fill[T int | time.Duration](errp *error, field string, v *T, def T) {
	if *v < 0 && *errp == nil {
		*errp = &ConfigError{Field: field, Problem: fmt.Sprintf("%v is negative", *v)}
	}
	if *v == 0 {
		*v = def
	}
}

// WithDefaults returns c with its defaults filled in, for those who make links. An error is a [*ConfigError].
func (c Config) WithDefaults() (Config, error) { return c.validate() }

// validate returns c with its defaults filled in. Errors name the field.
func (c Config) validate() (Config, error) {
	var err error
	fill(&err, "Config.HandshakeTimeout", &c.HandshakeTimeout, DefaultHandshakeTimeout)
	fill(&err, "Config.IdleTimeout", &c.IdleTimeout, DefaultIdleTimeout)
	fill(&err, "Config.KeepAlive", &c.KeepAlive, min(DefaultKeepAlive, c.IdleTimeout/3))
	fill(&err, "Config.Linger", &c.Linger, DefaultLinger)
	fill(&err, "Config.SessionFrameTimeout", &c.SessionFrameTimeout, DefaultSessionFrameTimeout)
	fill(&err, "Config.MaxSessionEnvelope", &c.MaxSessionEnvelope, DefaultMaxSessionEnvelope)
	fill(&err, "Config.MaxSessionFrame", &c.MaxSessionFrame, DefaultMaxSessionFrame)
	fill(&err, "Config.MaxEnvelope", &c.MaxEnvelope, wire.MaxBody)
	fill(&err, "Config.OutboundBytes", &c.OutboundBytes, DefaultOutboundBytes)
	fill(&err, "Config.OutboundFrames", &c.OutboundFrames, DefaultOutboundFrames)
	fill(&err, "Config.OutboundDatagrams", &c.OutboundDatagrams, DefaultOutboundDatagrams)
	fill(&err, "Config.InboundBytes", &c.InboundBytes, DefaultInboundBytes)
	fill(&err, "Config.InboundDatagrams", &c.InboundDatagrams, DefaultInboundDatagrams)
	fill(&err, "Config.MaxStreams", &c.MaxStreams, DefaultMaxStreams)
	if err != nil {
		return c, err
	}
	if c.SessionKind == 0 {
		c.SessionKind = wire.KindSession
	}
	if c.SessionPartKind == 0 {
		c.SessionPartKind = wire.KindSessionPart
	}
	if c.Inbox == nil {
		c.Inbox = NewInbox()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	switch {
	case c.KeepAlive > c.IdleTimeout/2:
		err = &ConfigError{"Config.KeepAlive", fmt.Sprintf("%v is more than half of IdleTimeout, %v", c.KeepAlive, c.IdleTimeout)}
	case c.MaxEnvelope > wire.MaxBody:
		err = &ConfigError{"Config.MaxEnvelope", fmt.Sprintf("%d is more than the protocol's %d", c.MaxEnvelope, wire.MaxBody)}
	case c.MaxSessionEnvelope > wire.MaxBody-wire.PartHeaderBytes:
		err = &ConfigError{"Config.MaxSessionEnvelope", fmt.Sprintf("%d leaves no room for a part's header in %d", c.MaxSessionEnvelope, wire.MaxBody)}
	case c.MaxSessionFrame > 1<<30:
		err = &ConfigError{"Config.MaxSessionFrame", fmt.Sprintf("%d is more than 1 GiB", c.MaxSessionFrame)}
	case c.MaxStreams > mostStreams:
		err = &ConfigError{"Config.MaxStreams", fmt.Sprintf("%d is more than %d", c.MaxStreams, mostStreams)}
	case !applicationKind(c.SessionKind):
		err = &ConfigError{"Config.SessionKind", fmt.Sprintf("%#x is not an application's to use", uint16(c.SessionKind))}
	case !applicationKind(c.SessionPartKind):
		err = &ConfigError{"Config.SessionPartKind", fmt.Sprintf("%#x is not an application's to use", uint16(c.SessionPartKind))}
	case c.SendStyle > StreamPerEnvelope:
		err = &ConfigError{"Config.SendStyle", c.SendStyle.String() + " does not exist"}
	case c.SessionKind == c.SessionPartKind:
		err = &ConfigError{"Config.SessionPartKind", "is the same as SessionKind"}
	}
	return c, err
}

func applicationKind(k wire.Kind) bool {
	return k >= wire.FirstApplicationKind && k != wire.KindGoodbye
}

func (c ListenConfig) validate() (ListenConfig, error) {
	var err error
	if c.Config, err = c.Config.validate(); err != nil {
		return c, err
	}
	fill(&err, "ListenConfig.MaxTokenBytes", &c.MaxTokenBytes, DefaultMaxTokenBytes)
	fill(&err, "ListenConfig.MaxConnections", &c.MaxConnections, DefaultMaxConnections)
	fill(&err, "ListenConfig.MaxConnectionsPerIP", &c.MaxConnectionsPerIP, 0)
	fill(&err, "ListenConfig.MaxHalfOpen", &c.MaxHalfOpen, DefaultMaxHalfOpen)
	fill(&err, "ListenConfig.MaxReassembly", &c.MaxReassembly, max(DefaultMaxReassembly, c.MaxSessionFrame))
	switch {
	case err != nil:
	case c.MaxReassembly < c.MaxSessionFrame:
		err = &ConfigError{"ListenConfig.MaxReassembly", fmt.Sprintf("%d is less than MaxSessionFrame, %d", c.MaxReassembly, c.MaxSessionFrame)}
	case c.MaxTokenBytes > wire.MaxBody:
		err = &ConfigError{"ListenConfig.MaxTokenBytes", fmt.Sprintf("%d is more than the protocol's %d", c.MaxTokenBytes, wire.MaxBody)}
	}
	if err != nil {
		return c, err
	}
	for name, serve := range c.ALPN {
		if name == ALPN || serve == nil {
			return c, &ConfigError{"ListenConfig.ALPN", fmt.Sprintf("%q is the server's own, or nobody serves it", name)}
		}
	}
	if c.Authenticator == nil {
		c.Authenticator = Guests()
	}
	c.TLS = tlsConfig(c.TLS)
	c.TLS.NextProtos = append(c.TLS.NextProtos, slices.Sorted(maps.Keys(c.ALPN))...)
	return c, nil
}

// needCertificate reports what is missing for QUIC.
func (c *ListenConfig) needCertificate() error {
	switch {
	case c.TLS == nil:
		return &ConfigError{"ListenConfig.TLS", "a server needs a certificate"}
	case len(c.TLS.Certificates) == 0 && c.TLS.GetCertificate == nil && c.TLS.GetConfigForClient == nil:
		return &ConfigError{"ListenConfig.TLS", "holds no certificate"}
	}
	return nil
}

func (c DialConfig) validate() (DialConfig, error) {
	var err error
	if c.Config, err = c.Config.validate(); err != nil {
		return c, err
	}
	if len(c.Token) > wire.MaxBody {
		return c, &ConfigError{"DialConfig.Token", fmt.Sprintf("%d bytes are more than the protocol's %d", len(c.Token), wire.MaxBody)}
	}
	if c.TLS, err = c.ClientTLS(ALPN); err != nil {
		return c, err
	}
	c.TLS = tlsConfig(c.TLS)
	return c, nil
}

// ClientTLS returns the TLS configuration with which a client of the application protocols reaches a server and checks
// its certificate: a copy of c.TLS, with c.Pin if that is set. It is for those who make links. A pin that is none
// is a [*ConfigError].
func (c DialConfig) ClientTLS(protocols ...string) (*tls.Config, error) {
	t := c.TLS
	if t == nil {
		t = &tls.Config{}
	}
	t = t.Clone()
	t.NextProtos = protocols
	if c.Pin != "" {
		pin, err := ParsePin(c.Pin)
		if err != nil {
			return nil, err
		}
		pinCertificate(t, pin)
	}
	return t, nil
}

func tlsConfig(t *tls.Config) *tls.Config {
	if t == nil {
		t = &tls.Config{}
	}
	t = t.Clone()
	t.NextProtos = []string{ALPN}
	t.MinVersion = max(t.MinVersion, tls.VersionTLS13)
	return t
}

// quic translates c. QUIC restarts its idle timer when the first keep-alive after a silence is sent, so a dead
// peer is noticed after the sum of the two: they share what IdleTimeout promises.
func (c *Config) quic() *quic.Config {
	return &quic.Config{
		HandshakeIdleTimeout:           c.HandshakeTimeout,
		MaxIdleTimeout:                 c.IdleTimeout - c.KeepAlive,
		KeepAlivePeriod:                c.KeepAlive,
		InitialStreamReceiveWindow:     streamWindow,
		MaxStreamReceiveWindow:         maxStreamWindow,
		InitialConnectionReceiveWindow: connectionWindow,
		MaxConnectionReceiveWindow:     maxConnWindow,
		MaxIncomingStreams:             int64(c.MaxStreams),
		MaxIncomingUniStreams:          int64(c.MaxStreams),
		EnableDatagrams:                true,
		Tracer:                         countingTracer(c.Tracer),
	}
}
