package run

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"dpukv/client"
	"dpukv/client/liveline"
	"dpukv/internal/numfmt"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// reporter shows the user how far a sweep is. On a terminal it rewrites one line. Elsewhere it
// writes a line when a point begins, a line when it ends, and a line every few seconds meanwhile.
type reporter struct {
	w        io.Writer
	terminal bool
	total    string // number of points
	ticker   *time.Ticker
	closed   chan struct{}

	mu sync.Mutex // of the rest
	// The current point: "[COUNT] LEFT, SPEED: WHAT".
	count, left, what string
	warmup            bool
	step              string            // of the orchestrator, before a client has one
	speeds            map[string]string // by node
	failure           string            // of the last point whose reason was shown
}

// lineEvery is the longest time without a line where there is no terminal.
const lineEvery = 10 * time.Second

func newReporter(w io.Writer, total string) *reporter {
	r := &reporter{w: w, total: total, terminal: liveline.Columns(w) > 0}
	if r.terminal {
		return r
	}
	r.ticker, r.closed = time.NewTicker(lineEvery), make(chan struct{})
	go func() {
		for {
			select {
			case <-r.ticker.C:
				r.beat()
			case <-r.closed:
				return
			}
		}
	}()
	return r
}

func (r *reporter) begin(n int, pt *sweep.Point, left time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count = fmt.Sprintf("[%d/%s]", n, r.total)
	r.left = fmt.Sprintf("%v left", left.Round(time.Second)) // whole seconds, also below a minute
	r.what, r.warmup = pt.Describe(), pt.Warmup > 0
	r.step, r.speeds = "", map[string]string{}
	if !r.terminal {
		r.line(r.left + ": " + r.what)
	}
	r.draw()
}

// line writes a line about the current point.
func (r *reporter) line(text string) {
	fmt.Fprintf(r.w, "%s %s\n", r.count, text)
	r.ticker.Reset(lineEvery)
}

// says writes a line about the current point, in between.
func (r *reporter) says(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.terminal {
		r.clear()
	}
	r.line(text)
	r.draw()
}

// beat writes what the current point does.
func (r *reporter) beat() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if doing := r.speed(); r.count != "" && doing != "" {
		r.line(strings.TrimPrefix(doing, ", "))
	}
}

// Does shows a step of the orchestrator.
func (r *reporter) Does(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.step = fmt.Sprintf(format, args...)
	r.draw()
}

// Of returns a function that takes a client's progress, from any goroutine.
func (r *reporter) Of(name string) func(*node.Progress) {
	return func(p *node.Progress) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.speeds[name] = r.speedOf(p)
		r.draw()
	}
}

// speedOf describes the progress of one client.
func (r *reporter) speedOf(p *node.Progress) string {
	speed := liveline.Phase(p.Phase, p.Done, p.Total)
	if r.warmup && p.Phase == string(client.PhaseMeasure) && p.ThroughputOps == 0 {
		speed = "warm-up" // the first interval of the measurement period is not over
	}
	if p.ThroughputOps > 0 {
		speed += " " + numfmt.Rate(p.ThroughputOps)
	}
	if p.LatencyP99Ns > 0 {
		speed += ", p99 " + numfmt.Nanoseconds(float64(p.LatencyP99Ns))
	}
	return speed
}

// speed returns the clients' progress, with names if there are several clients. Before that it
// returns the orchestrator's step.
func (r *reporter) speed() string {
	if len(r.speeds) == 0 && r.step != "" {
		return ", " + r.step
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.speeds)) {
		text.WriteString(", ")
		if len(r.speeds) > 1 {
			text.WriteString(name + " ")
		}
		text.WriteString(r.speeds[name])
	}
	return text.String()
}

// draw rewrites the line of the current point.
func (r *reporter) draw() {
	liveline.Rewrite(r.w, r.count+" "+r.left+r.speed()+": "+r.what)
}

func (r *reporter) finish(n int, p *results.Point, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	head := fmt.Sprintf("[%d/%s] %s: ", n, r.total, p.ID)
	r.count = ""
	switch {
	case p.BeyondCapacity():
		r.clear()
		fmt.Fprintf(r.w, "%srate missed, in %s: %s\n", head, numfmt.Duration(took),
			firstLine(p.Error))
	case p.Status != results.StatusOK && causeOf(p.Error) == causeOf(r.failure):
		r.clear()
		fmt.Fprintf(r.w, "%sfailed after %s, as the failed point before\n", head,
			numfmt.Duration(took))
	case p.Status != results.StatusOK:
		r.clear()
		r.failure = p.Error
		fmt.Fprintf(r.w, "%sfailed after %s: %s\n", head, numfmt.Duration(took),
			firstLine(p.Error))
	case !r.terminal && p.IsProbe():
		fmt.Fprintf(r.w, "%s%s, in %s%s\n", head, figuresOf(p), numfmt.Duration(took),
			warningCount(p.Warnings))
	case !r.terminal:
		unit := numfmt.TimeUnit(float64(p.P99Ns))
		fmt.Fprintf(r.w, "%s%s, p50 %s, p99 %s, in %s%s\n", head, numfmt.Rate(p.ThroughputOps),
			unit.Of(float64(p.P50Ns)), unit.Of(float64(p.P99Ns)), numfmt.Duration(took),
			warningCount(p.Warnings))
	}
}

// figuresOf lists the figures of a probe.
func figuresOf(p *results.Point) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(p.Figures)) {
		list = append(list, fmt.Sprintf("%s %.4g", name, p.Figures[name]))
	}
	return strings.Join(list, ", ")
}

func (r *reporter) clear() { liveline.Rewrite(r.w, "") }

func (r *reporter) close() {
	r.clear()
	if r.closed != nil {
		r.ticker.Stop()
		close(r.closed)
	}
}

func warningCount(warnings results.Warnings) string {
	if len(warnings) == 0 {
		return ""
	}
	return ", " + numfmt.Count(len(warnings), "warning")
}

// firstLine returns the first line of a text, and says how many follow.
func firstLine(s string) string {
	line, rest, cut := strings.Cut(strings.TrimSpace(s), "\n")
	switch n := strings.Count(rest, "\n") + 1; {
	case !cut:
		return line
	case n == 1:
		return line + " … (1 line more)"
	default:
		return fmt.Sprintf("%s … (%d lines more)", line, n)
	}
}
