package run

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/internal/foreign"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// reporter shows the user how far a sweep is. On a terminal it rewrites one line; elsewhere it
// writes one line per point.
type reporter struct {
	w        io.Writer
	terminal *os.File // nil: none
	total    string   // number of points
	// The current point, on a terminal: "HEAD, SPEED: WHAT".
	head, what string
	failure    string // of the last point whose reason was shown
	mu         sync.Mutex
	speeds     map[string]string // by node
}

func newReporter(w io.Writer, total string) *reporter {
	r := &reporter{w: w, total: total}
	if f, ok := foreign.Raw(w).(*os.File); ok && columns(f) > 0 {
		r.terminal = f
	}
	return r
}

// columns returns a terminal's width, or 0 if the file is no terminal.
func columns(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	switch {
	case err != nil:
		return 0
	case size.Col == 0: // a terminal that does not say
		return 80
	}
	return int(size.Col)
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
		speed := p.Phase
		if p.Total > 0 {
			speed += fmt.Sprintf(" %d %%", 100*p.Done/p.Total)
		}
		if p.ThroughputOps > 0 {
			speed += " " + rateText(p.ThroughputOps)
		}
		if p.LatencyP99Ns > 0 {
			speed += ", p99 " + latencyText(p.LatencyP99Ns)
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

// draw rewrites the line, no wider than the terminal: a wrapped line could not be rewritten.
func (r *reporter) draw() {
	if r.terminal == nil {
		return
	}
	line := []rune(r.head + r.speed() + r.what)
	r.clear()
	fmt.Fprint(r.w, string(line[:min(len(line), columns(r.terminal)-1)]))
}

func (r *reporter) finish(n int, p *results.Point, took time.Duration) {
	head := fmt.Sprintf("[%d/%s] %s: ", n, r.total, p.ID)
	took = took.Round(100 * time.Millisecond)
	switch {
	case p.Status != results.StatusOK && causeOf(p.Error) == causeOf(r.failure):
		r.clear()
		fmt.Fprintf(r.w, "%sfailed after %v, as the failed point before\n", head, took)
	case p.Status != results.StatusOK:
		r.clear()
		r.failure = p.Error
		fmt.Fprintf(r.w, "%sfailed after %v: %s\n", head, took, firstLine(p.Error))
	case r.terminal == nil:
		fmt.Fprintf(r.w, "%s%s, p50 %s, p99 %s, in %v%s\n", head, rateText(p.ThroughputOps),
			latencyText(p.P50Ns), latencyText(p.P99Ns), took, warningCount(p.Warnings))
	}
}

func (r *reporter) clear() {
	if r.terminal != nil {
		fmt.Fprint(foreign.Raw(r.w), "\r\x1b[K")
	}
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

func rateText(ops float64) string {
	switch {
	case ops >= 1e5:
		return fmt.Sprintf("%.2f Mops", ops/1e6)
	case ops >= 1e3:
		return fmt.Sprintf("%.1f kops", ops/1e3)
	}
	return fmt.Sprintf("%.0f ops/s", ops)
}

func latencyText(ns int64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%d ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.1f µs", float64(ns)/1e3)
	}
	return fmt.Sprintf("%.2f ms", float64(ns)/1e6)
}
