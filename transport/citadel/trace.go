package citadel

import (
	"context"
	"sync/atomic"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/qlog"
	"github.com/quic-go/quic-go/qlogwriter"
)

// Tracer makes a qlog trace for each QUIC connection; a nil trace means none. It is what quic.Config has under
// this name. quic-go's packages qlog and qlogwriter have traces that write files.
type Tracer = func(ctx context.Context, isClient bool, id quic.ConnectionID) qlogwriter.Trace

// countingTracer wraps a tracer so that it counts what QUIC itself drops, which it tells nobody else.
func countingTracer(tracer Tracer) Tracer {
	if tracer == nil {
		return nil
	}
	return func(ctx context.Context, isClient bool, id quic.ConnectionID) qlogwriter.Trace {
		t := tracer(ctx, isClient, id)
		if t == nil {
			return nil
		}
		return &countingTrace{Trace: t}
	}
}

type countingTrace struct {
	qlogwriter.Trace
	dropped atomic.Uint64 // datagrams, by QUIC
}

func (t *countingTrace) AddProducer() qlogwriter.Recorder {
	r := t.Trace.AddProducer()
	if r == nil {
		return nil
	}
	return countingRecorder{r, t}
}

type countingRecorder struct {
	qlogwriter.Recorder
	trace *countingTrace
}

func (r countingRecorder) RecordEvent(e qlogwriter.Event) {
	if _, ok := e.(qlog.DatagramDropped); ok {
		r.trace.dropped.Add(1)
	}
	r.Recorder.RecordEvent(e)
}
