package run

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"dpukv/client/liveline"
	"dpukv/internal/terminal"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// reporter shows the user how far a sweep is. On a terminal it rewrites one line; elsewhere it
// writes one line per point.
type reporter struct {
	w        io.Writer
	terminal bool
	total    string // number of points
	// The current point, on a terminal: "HEAD, SPEED: WHAT".
	head, what string
	mu         sync.Mutex
	speeds     map[string]string // by node
}

func newReporter(w io.Writer, total string) *reporter {
	return &reporter{w: w, total: total, terminal: terminal.Columns(w) > 0}
}

func (r *reporter) begin(n int, pt *sweep.Point, left time.Duration) {
	r.head = fmt.Sprintf("[%d/%s] %v left", n, r.total, left.Round(time.Second))
	r.what = ": " + pt.Describe()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.speeds = map[string]string{}
	r.draw()
}

// of returns a function that takes a client's progress, from any goroutine.
func (r *reporter) of(name string) func(*node.Progress) {
	return func(p *node.Progress) {
		speed := liveline.Phase(p.Phase, p.Done, p.Total)
		if p.ThroughputOps > 0 {
			speed += " " + liveline.Rate(p.ThroughputOps)
		}
		if p.LatencyP99Ns > 0 {
			speed += ", p99 " + liveline.Latency(p.LatencyP99Ns)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.speeds[name] = speed
		r.draw()
	}
}

// speed returns the clients' progress, with names if there are several clients.
func (r *reporter) speed() string {
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

func (r *reporter) draw() {
	terminal.Rewrite(r.w, r.head+r.speed()+r.what)
}

func (r *reporter) finish(n int, p *results.Point, took time.Duration) {
	head := fmt.Sprintf("[%d/%s] %s: ", n, r.total, p.ID)
	took = took.Round(100 * time.Millisecond)
	switch {
	case p.Status != results.StatusOK:
		r.clear()
		fmt.Fprintf(r.w, "%sfailed after %v: %s\n", head, took, firstLine(p.Error))
	case !r.terminal:
		fmt.Fprintf(r.w, "%s%s, p50 %s, p99 %s, in %v%s\n", head, liveline.Rate(p.ThroughputOps),
			liveline.Latency(p.P50Ns), liveline.Latency(p.P99Ns), took, warningCount(p.Warnings))
	}
}

func (r *reporter) clear() {
	terminal.Rewrite(r.w, "")
}

func (r *reporter) close() { r.clear() }

func warningCount(warnings []string) string {
	switch len(warnings) {
	case 0:
		return ""
	case 1:
		return ", 1 warning"
	}
	return fmt.Sprintf(", %d warnings", len(warnings))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
