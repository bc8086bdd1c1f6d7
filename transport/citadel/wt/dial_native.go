//go:build !js

package wt

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// connect opens a session on a QUIC connection of its own.
func connect(ctx context.Context, u *url.URL, cfg citadel.DialConfig) (citadel.Link, error) {
	port := u.Port()
	if port == "" {
		port = "443"
	}
	qc, release, err := citadel.DialQUIC(ctx, net.JoinHostPort(u.Hostname(), port), Protocol, cfg)
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
