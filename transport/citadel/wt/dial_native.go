//go:build !js

package wt

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/internal/web"
)

// connect opens a session on a QUIC connection of its own.
func connect(ctx context.Context, u *url.URL, cfg citadel.DialConfig) (citadel.Link, error) {
	qc, release, err := dialQUIC(ctx, u, cfg)
	if err != nil {
		return nil, err
	}
	sess, headers, err := openSession(ctx, u, qc)
	if err != nil {
		if qc.Context().Err() != nil {
			err = explain(context.Cause(qc.Context()))
		}
		_ = qc.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
		release()
		return nil, err
	}
	return newLink(sess, qc, nil, headers, release), nil
}

// openSession asks for a session. It is the first request of its connection.
func openSession(ctx context.Context, u *url.URL, qc *quic.Conn) (*webtransport.Session, http.Header, error) {
	tr := &webtransport.Transport{}
	conn, err := tr.NewClientConn(qc)
	if err != nil {
		return nil, nil, err
	}
	// Not everything that waits there heeds the context.
	stop := context.AfterFunc(ctx, func() {
		_ = qc.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeRequestCanceled), "")
	})
	defer stop()
	resp, sess, err := conn.Dial(ctx, u.String(), http.Header{ownStreamsHeader: {ownStreamsValue}})
	switch {
	case err == nil:
		return sess, resp.Header, nil
	case resp != nil:
		return nil, nil, fmt.Errorf("the server answers %s", resp.Status)
	}
	return nil, nil, err
}

// dialQUIC makes the QUIC connection. release gives back what it is built on.
func dialQUIC(ctx context.Context, u *url.URL, cfg citadel.DialConfig) (qc *quic.Conn, release func(), err error) {
	conf, err := web.ClientTLS(cfg, Protocol)
	if err != nil {
		return nil, nil, err
	}
	if conf.ServerName == "" {
		conf.ServerName = u.Hostname()
	}
	remote, err := resolve(ctx, u)
	if err != nil {
		return nil, nil, err
	}
	local := &net.UDPAddr{IP: net.IPv4zero}
	if remote.IP.To4() == nil {
		local.IP = net.IPv6zero
	}
	silenceBufferWarning()
	udp, err := net.ListenUDP("udp", local)
	if err != nil {
		return nil, nil, err
	}
	tr := &quic.Transport{Conn: udp}
	release = func() {
		_ = tr.Close()
		_ = udp.Close()
	}
	qc, err = tr.Dial(ctx, remote, conf, quicConfig(&cfg.Config))
	if err != nil {
		release()
		return nil, nil, explain(err)
	}
	return qc, release, nil
}

// silenceBufferWarning keeps quic-go from complaining about small buffers on the standard logger.
var silenceBufferWarning = sync.OnceFunc(func() {
	const name = "QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING"
	if _, set := os.LookupEnv(name); !set {
		_ = os.Setenv(name, "true") // it can only fail for names that are not names
	}
})

// Flow control windows in bytes, as they are over QUIC alone.
const (
	window        = 256 << 10
	maxStreamWin  = 2 << 20
	maxConnWindow = 4 << 20
)

// quicConfig translates c as package citadel does for itself, with what WebTransport needs in addition.
func quicConfig(c *citadel.Config) *quic.Config {
	return &quic.Config{
		HandshakeIdleTimeout:             c.HandshakeTimeout,
		MaxIdleTimeout:                   c.IdleTimeout - c.KeepAlive,
		KeepAlivePeriod:                  c.KeepAlive,
		InitialStreamReceiveWindow:       window,
		MaxStreamReceiveWindow:           maxStreamWin,
		InitialConnectionReceiveWindow:   window,
		MaxConnectionReceiveWindow:       maxConnWindow,
		MaxIncomingStreams:               int64(c.MaxStreams),
		MaxIncomingUniStreams:            int64(c.MaxStreams),
		EnableDatagrams:                  true,
		EnableStreamResetPartialDelivery: true,
		Tracer:                           c.Tracer,
	}
}

// resolve looks up the host of a URL.
func resolve(ctx context.Context, u *url.URL) (*net.UDPAddr, error) {
	port := u.Port()
	if port == "" {
		port = "443"
	}
	n, err := net.DefaultResolver.LookupPort(ctx, "udp", port)
	if err != nil {
		return nil, err
	}
	ips, err := net.DefaultResolver.LookupIPAddr(ctx, u.Hostname())
	if err != nil {
		return nil, err
	}
	if len(ips) == 0 {
		return nil, errors.New("no address for " + u.Hostname())
	}
	// A name such as localhost may have several; an IPv4 address reaches most servers.
	best := ips[0]
	for _, ip := range ips {
		if ip.IP.To4() != nil {
			best = ip
			break
		}
	}
	return &net.UDPAddr{IP: best.IP, Zone: best.Zone, Port: n}, nil
}
