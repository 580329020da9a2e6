package liveline

import (
	"fmt"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/client"
	"dpukv/internal/numfmt"
	"dpukv/results"
)

// The least time that a line covers.
const (
	onTerminal = time.Second
	elsewhere  = 10 * time.Second
)

// Line is the line of one load.
type Line struct {
	w        io.Writer
	terminal bool
	every    time.Duration
	shown    time.Duration // of the measurement period, by the last line
	since    *hdrhistogram.Histogram
}

// New returns a line on w.
func New(w io.Writer) *Line {
	l := &Line{w: w, every: elsewhere, since: results.NewHistogram()}
	if Columns(w) > 0 {
		l.terminal, l.every = true, onTerminal
	}
	return l
}

// Show takes a report of the client: see [client.Config.OnProgress].
func (l *Line) Show(p client.Progress) {
	if p.Latencies == nil {
		l.rewrite(Phase(string(p.Phase), p.Done, p.Total))
		return
	}
	l.since.Merge(p.Latencies)
	if p.Elapsed-l.shown < l.every {
		return
	}
	text := l.text(&p)
	l.shown = p.Elapsed
	l.since.Reset()
	if l.terminal {
		l.rewrite(text)
	} else {
		fmt.Fprintln(l.w, text)
	}
}

func (l *Line) text(p *client.Progress) string {
	seconds := (p.Elapsed - l.shown).Seconds()
	return fmt.Sprintf("%5.1f s: %s, p50 %s, p99 %s, %d errors", p.Elapsed.Seconds(),
		numfmt.Rate(float64(l.since.TotalCount())/seconds),
		numfmt.Nanoseconds(float64(l.since.ValueAtPercentile(50))),
		numfmt.Nanoseconds(float64(l.since.ValueAtPercentile(99))), p.Errors)
}

// Close removes the line from a terminal.
func (l *Line) Close() { l.rewrite("") }

func (l *Line) rewrite(text string) {
	if l.terminal {
		Rewrite(l.w, text)
	}
}

// Phase returns a phase in words, with its progress if it has one.
func Phase(name string, done, total uint64) string {
	if total == 0 {
		return name
	}
	return fmt.Sprintf("%s %d %%", name, 100*done/total)
}
