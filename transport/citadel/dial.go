package citadel

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/quic-go/quic-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Dial connects to a server at a UDP address such as "play.example.com:7350" and authenticates. It returns
// when the server has accepted; the [Opened] event is then in the inbox. The context ends the attempt, not the
// connection.
//
// A rejection is an [*AuthError], a full server [ErrServerFull], one that does not answer [ErrTimeout], one
// whose certificate is not the pinned one [ErrPin], and a configuration that cannot work a [*ConfigError].
func Dial(ctx context.Context, addr string, cfg DialConfig) (*Conn, error) {
	cfg, err := cfg.validate()
	if err != nil {
		return nil, err
	}
	c, err := dial(ctx, addr, cfg)
	if err != nil {
		return nil, fmt.Errorf("citadel: dial %s: %w", addr, err)
	}
	return c, nil
}

func dial(ctx context.Context, addr string, cfg DialConfig) (*Conn, error) {
	qc, release, err := dialQUIC(ctx, addr, &cfg, cfg.quic())
	if err != nil {
		return nil, err
	}
	return open(ctx, quicLink{qc}, cfg, release)
}

// DialQUIC makes the QUIC connection for a [Link] that speaks another application protocol, such as "h3", on it. The
// connection has the socket, the windows, the timeouts and the tracing of one that [Dial] makes, and the server's
// certificate is checked alike. Who has it calls release when it has ended. Errors are those of Dial.
func DialQUIC(ctx context.Context, addr, protocol string, cfg DialConfig) (qc *quic.Conn, release func(), err error) {
	if cfg, err = cfg.validate(); err != nil {
		return nil, nil, err
	}
	cfg.TLS.NextProtos = []string{protocol}
	q := cfg.quic()
	// Some protocols want it, and it does not disturb the others.
	q.EnableStreamResetPartialDelivery = true
	return dialQUIC(ctx, addr, &cfg, q)
}

func dialQUIC(ctx context.Context, addr string, cfg *DialConfig, q *quic.Config) (qc *quic.Conn, release func(), err error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, nil, err
	}
	if cfg.TLS.ServerName == "" {
		cfg.TLS.ServerName = host
	}
	remote, err := resolve(ctx, addr)
	if err != nil {
		return nil, nil, err
	}
	// The wildcard address of the same family.
	local := &net.UDPAddr{IP: net.IPv4zero}
	if remote.IP.To4() == nil {
		local.IP = net.IPv6zero
	}
	udp, err := listenUDP(local, cfg.Logger)
	if err != nil {
		return nil, nil, err
	}
	tr := &quic.Transport{Conn: udp}
	release = func() {
		_ = tr.Close()
		_ = udp.Close()
	}
	qc, err = tr.Dial(ctx, remote, cfg.TLS, q)
	if err != nil {
		release()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, QUICError(err)
	}
	return qc, release, nil
}

// Open authenticates on a link that is connected to a server and on which nothing has been said yet. It
// returns when the server has accepted; the [Opened] event is then in the inbox. The context ends the attempt,
// not the connection. Of the configuration, TLS and Pin have no meaning here. Whatever happens, the link
// belongs to Open, which closes it if it fails. Errors are those of [Dial].
func Open(ctx context.Context, link Link, cfg DialConfig) (*Conn, error) {
	cfg, err := cfg.validate()
	if err != nil {
		link.Close(CodeNone, "")
		return nil, err
	}
	c, err := open(ctx, link, cfg, func() {})
	if err != nil {
		return nil, fmt.Errorf("citadel: open: %w", err)
	}
	return c, nil
}

func open(ctx context.Context, link Link, cfg DialConfig, release func()) (*Conn, error) {
	c := newConn(link, &cfg.Config, nil, release)
	c.start()
	if err := c.sent(c.out.add(wire.KindAuth, cfg.Token)); err != nil {
		// Unless the link has ended already, the queue is smaller than the token.
		c.end(&CloseError{Code: CodeNone})
		<-c.done
		return nil, err
	}
	c.out.release()
	select {
	case <-c.opened:
		return c, nil
	case <-c.done:
	case <-ctx.Done():
		c.end(&CloseError{Code: CodeNone, Reason: "given up"})
		<-c.done
		return nil, ctx.Err()
	}
	return nil, c.Err()
}

// resolve looks the address up.
func resolve(ctx context.Context, addr string) (*net.UDPAddr, error) {
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "udp", service)
	if err != nil {
		return nil, err
	}
	if host == "" {
		return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}, nil
	}
	ips, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(ips) == 0 {
		return nil, errors.New("no address for " + host)
	}
	// A name such as localhost may have several; an IPv4 address reaches most servers.
	for _, ip := range ips {
		if ip.IP.To4() != nil {
			return &net.UDPAddr{IP: ip.IP, Port: port}, nil
		}
	}
	return &net.UDPAddr{IP: ips[0].IP, Zone: ips[0].Zone, Port: port}, nil
}
