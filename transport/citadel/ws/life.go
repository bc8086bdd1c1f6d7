package ws

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// life knows whether the peer of a link is alive, and shows it that this end is.
//
// A peer is alive while anything comes from it: a message, a ping, or a pong. Whoever has been silent sends a
// ping, and so does whoever has heard nothing, because a page can neither send pings nor see them; its browser
// answers them. While this end does not wait for the peer, because the inbox is full, the silence is not the peer's.
//
// An empty message means nothing and is answered with another, which is how a client in a browser finds out
// whether its server is alive.
type life struct {
	l               *link
	idle, keepAlive time.Duration
	born            time.Time

	heard     atomic.Int64 // when the peer was last heard, since birth
	said      atomic.Int64 // when something was last sent
	listening atomic.Bool  // this end waits for the peer
	owed      atomic.Int32 // empty messages that are to be answered, at most 2
	answers   atomic.Bool  // the peer has sent an empty message
	filled    bool         // the reader's: the present message is not empty

	mu     sync.Mutex
	timer  *time.Timer
	looked time.Duration // when the peer was last looked after
	due    time.Duration // when it was to be looked after next
	rtt    time.Duration
	minRTT time.Duration
	jitter time.Duration
}

const maxOwed = 2

func (v *life) start(l *link, cfg *citadel.Config) {
	v.l, v.idle, v.keepAlive, v.born = l, cfg.IdleTimeout, cfg.KeepAlive, time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.due = v.keepAlive
	v.timer = time.AfterFunc(v.keepAlive, v.look)
}

// stop makes this the last look. One that is under way finds that the link has ended.
func (v *life) stop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.timer.Stop()
}

func (v *life) now() time.Duration { return time.Since(v.born) }

// speak notes that something was sent.
func (v *life) speak() { v.said.Store(int64(v.now())) }

// listen notes that this end begins to wait for the peer, or ceases to because something has come.
func (v *life) listen(on bool) {
	v.touch()
	v.listening.Store(on)
}

// touch notes that the peer is alive.
func (v *life) touch() { v.heard.Store(int64(v.now())) }

// end notes that a message is complete.
func (v *life) end(answer bool) {
	if v.filled {
		v.filled = false
		return
	}
	v.answers.Store(true)
	if !answer {
		return
	}
	for {
		n := v.owed.Load()
		if n == maxOwed {
			return // whoever asks that often is answered less often
		}
		if v.owed.CompareAndSwap(n, n+1) {
			if n == 0 {
				go v.answer()
			}
			return
		}
	}
}

// answer answers empty messages until none is left. If sending fails, the reader is about to learn why.
func (v *life) answer() {
	for {
		_ = v.l.sock.send(nil)
		v.speak()
		if v.owed.Add(-1) == 0 {
			return
		}
	}
}

// look ends a link whose peer is silent for too long, and sends a ping if one is due.
func (v *life) look() {
	v.mu.Lock()
	if v.l.ctx.Err() != nil {
		v.mu.Unlock()
		return
	}
	now := v.now()
	if now-v.due > v.keepAlive {
		v.touch() // this process was asleep, and what has come meanwhile is still to be read
	}
	heard, said := time.Duration(v.heard.Load()), time.Duration(v.said.Load())
	next := v.keepAlive
	if v.listening.Load() && (pingable || v.answers.Load()) {
		next = min(next, v.idle-(now-heard))
	}
	quiet := heard <= v.looked || said <= v.looked
	v.looked, v.due = now, now+next
	if next > 0 {
		v.timer.Reset(next)
	}
	v.mu.Unlock()
	if next <= 0 {
		v.l.fail(&citadel.CloseError{Code: citadel.CodeTimeout})
		return
	}
	if quiet {
		v.speak()
		v.l.sock.ping()
	}
}

// measured takes a round-trip time.
func (v *life) measured(rtt time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.rtt == 0 {
		v.rtt, v.minRTT, v.jitter = rtt, rtt, rtt/2
		return
	}
	// As TCP does it.
	v.jitter += ((v.rtt - rtt).Abs() - v.jitter) / 4
	v.rtt += (rtt - v.rtt) / 8
	v.minRTT = min(v.minRTT, rtt)
}

func (v *life) roundTrip() citadel.LinkStats {
	v.mu.Lock()
	defer v.mu.Unlock()
	return citadel.LinkStats{RTT: v.rtt, MinRTT: v.minRTT, RTTJitter: v.jitter}
}
