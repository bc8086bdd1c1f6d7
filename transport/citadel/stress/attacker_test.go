package stress

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// How a process learns that it is an attacker, and whom to attack.
const (
	attackVariable = "ARIADNE_STRESS_ATTACK"
	targetVariable = "ARIADNE_STRESS_TARGET"
	helperVariable = "ARIADNE_STRESS_HELPER" // a second address, where an attack needs one
	manyVariable   = "ARIADNE_STRESS_MANY"
	lastsVariable  = "ARIADNE_STRESS_LASTS"
)

// report is what an attacker has to say at the end, on its standard output.
type report struct {
	// Ends counts the connections by why they ended: a code, or "open" if they had not.
	Ends map[string]int

	// Counts is whatever else an attack has counted.
	Counts map[string]int
}

func (r report) String() string { return fmt.Sprintf("ends %v, counts %v", r.Ends, r.Counts) }

const readyLine = "ready"

// agent is an attack, in the process that carries it out.
type agent struct {
	ctx    context.Context
	target *net.UDPAddr
	helper string
	many   int           // how many attackers there shall be
	lasts  time.Duration // how long they shall go on, if nobody stops them
	tr     *quic.Transport
	ready  func() // says that the attack is on

	mu     sync.Mutex
	report report
}

// attackMain carries out an attack and returns the process's exit status.
func attackMain(name string) int {
	if err := carryOut(name); err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
		return 1
	}
	return 0
}

func carryOut(name string) error {
	attack, ok := attackNamed(name)
	if !ok {
		return fmt.Errorf("there is no attack %q", name)
	}
	target, err := net.ResolveUDPAddr("udp", os.Getenv(targetVariable))
	if err != nil {
		return err
	}
	many, err := strconv.Atoi(os.Getenv(manyVariable))
	if err != nil {
		return err
	}
	lasts, err := time.ParseDuration(os.Getenv(lastsVariable))
	if err != nil {
		return err
	}
	udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	// A test that has died closes the pipe.
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	a := &agent{
		ctx: ctx, target: target, helper: os.Getenv(helperVariable), many: many, lasts: lasts,
		tr:     &quic.Transport{Conn: udp},
		ready:  sync.OnceFunc(func() { fmt.Println(readyLine) }),
		report: report{Ends: map[string]int{}, Counts: map[string]int{}},
	}
	defer a.tr.Close()
	if err := attack.run(a); err != nil {
		return err
	}
	a.ready()
	return json.NewEncoder(os.Stdout).Encode(a.report)
}

// hear reads what an attacker says.
func hear(out io.Reader, ready func()) (r report, err error) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == readyLine {
			ready()
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return r, fmt.Errorf("%w: %q", err, lines.Text())
		}
	}
	return r, lines.Err()
}

// count adds to one of the counts.
func (a *agent) count(what string, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.Counts[what] += n
}

// quicConfig is what attackers speak QUIC with. They are patient.
func quicConfig() *quic.Config {
	return &quic.Config{
		EnableDatagrams:       true,
		HandshakeIdleTimeout:  patience,
		MaxIdleTimeout:        patience,
		KeepAlivePeriod:       time.Second,
		MaxIncomingUniStreams: 100,
	}
}

func tlsConfig() *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, NextProtos: []string{citadel.ALPN}}
}

// dial connects, and does not say anything. A server under attack may turn away the first attempts: that is what
// its limits are for.
func (a *agent) dial(cfg *quic.Config) (*quic.Conn, error) {
	ctx, cancel := context.WithTimeout(a.ctx, patience)
	defer cancel()
	for {
		conn, err := a.tr.Dial(ctx, a.target, tlsConfig(), cfg)
		if err == nil || ctx.Err() != nil {
			return conn, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// enter connects and becomes a guest. The stream is open for more to be said.
func (a *agent) enter(cfg *quic.Config) (*quic.Conn, *quic.SendStream, error) {
	conn, err := a.dial(cfg)
	if err != nil {
		return nil, nil, err
	}
	s, err := conn.OpenUniStream()
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.Write(framed(wire.KindAuth, nil)); err != nil {
		return nil, nil, err
	}
	r, err := authResult(a.ctx, conn)
	if err != nil {
		return nil, nil, err
	}
	if r.Status != wire.AuthGuest {
		return nil, nil, fmt.Errorf("the server answers %v", r.Status)
	}
	return conn, s, nil
}

// authResult reads the server's answer to a handshake.
func authResult(ctx context.Context, conn *quic.Conn) (wire.AuthResult, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := conn.AcceptUniStream(ctx)
	if err != nil {
		return wire.AuthResult{}, err
	}
	e, err := readEnvelope(s)
	if err != nil {
		return wire.AuthResult{}, err
	}
	if e.Kind != wire.KindAuthResult {
		return wire.AuthResult{}, fmt.Errorf("the server answers with %v", e.Kind)
	}
	return wire.ParseAuthResult(e.Body)
}

// readEnvelope reads one envelope and not a byte more.
func readEnvelope(r io.Reader) (wire.Envelope, error) {
	var dec wire.Decoder
	buf := make([]byte, 1)
	for {
		if _, err := io.ReadFull(r, buf); err != nil {
			return wire.Envelope{}, err
		}
		_, _ = dec.Write(buf)
		if e, ok, err := dec.Next(); ok || err != nil {
			return e, err
		}
	}
}

// open opens a stream and says something on it, which may come to nothing because the server has had enough.
func (a *agent) open(conn *quic.Conn, p []byte) (*quic.SendStream, error) {
	s, err := conn.OpenUniStreamSync(conn.Context())
	if err != nil {
		return nil, err
	}
	_, err = s.Write(p)
	return s, err
}

// each calls fn for each of the attackers, some of them at once, and returns the first error.
func (a *agent) each(fn func(i int) error) error {
	return inParallel(a.many, 16, fn)
}

// inParallel calls fn with the numbers below n, so many at once, and returns the first error.
func inParallel(n, atOnce int, fn func(i int) error) error {
	var (
		next  atomic.Int64
		group sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	for range min(n, atOnce) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := fn(i); err != nil {
					mu.Lock()
					if first == nil {
						first = fmt.Errorf("attacker %d: %w", i, err)
					}
					mu.Unlock()
					return
				}
			}
		})
	}
	group.Wait()
	return first
}

// awaitEnd waits for the server to end a connection and counts why.
func (a *agent) awaitEnd(conn *quic.Conn) {
	select {
	case <-conn.Context().Done():
	case <-time.After(patience):
	case <-a.ctx.Done():
	}
	a.countEnd(conn)
}

// countEnd counts why a connection has ended, or that it has not.
func (a *agent) countEnd(conn *quic.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.Ends[endOf(conn)]++
}

const stillOpen = "open"

func endOf(conn *quic.Conn) string {
	if conn.Context().Err() == nil {
		return stillOpen
	}
	cause := context.Cause(conn.Context())
	if e, ok := errors.AsType[*quic.ApplicationError](cause); ok {
		return codeName(citadel.Code(e.ErrorCode))
	}
	return cause.Error()
}

// codeName names a code so that no two have the same name.
func codeName(c citadel.Code) string { return fmt.Sprintf("%#x %v", uint32(c), c) }

// framed is an envelope as it lies on a stream.
func framed(kind wire.Kind, body []byte) []byte {
	return append(wire.AppendFrameHeader(nil, kind, len(body)), body...)
}

// part is a framed part of a session frame, all of it zeros.
func part(transfer, total, offset uint32, n int) []byte {
	return framed(wire.KindSessionPart, wire.AppendPart(nil, wire.Part{
		Transfer: transfer, Total: total, Offset: offset, Bytes: make([]byte, n),
	}))
}
