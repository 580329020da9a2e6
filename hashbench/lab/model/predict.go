package model

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"dpukv/hashbench"
)

// Prediction is the model's prediction for a function on a core.
type Prediction struct {
	Function string
	Core     string
	Hz       float64
	// Cycles of a hash of 16 bytes, and nanoseconds at Hz. Latency is less the loop's own;
	// throughput contains its loop.
	LatencyCycles    float64
	ThroughputCycles float64
	LatencyNs        float64
	ThroughputNs     float64
	// BulkGBps is the bandwidth of long input in the first-level cache.
	BulkGBps     float64
	Instructions float64 // a hash of 16 bytes with its loop
}

const (
	shortBytes = 16
	fewCalls   = 8
	manyCalls  = 16
	lessBytes  = 2 << 10
	moreBytes  = 4 << 10
)

// Model predicts for one core.
type Model struct {
	*Tools
	Core
	latencyLoop float64 // cycles of the loop's own
}

// New prepares the model of a core: it predicts the latency loop's own cost.
func New(ctx context.Context, t *Tools, core Core) (*Model, error) {
	m := &Model{Tools: t, Core: core}
	four, _, err := m.short(ctx, "chain4", "latency")
	if err != nil {
		return nil, err
	}
	sixteen, _, err := m.short(ctx, "chain16", "latency")
	if err != nil {
		return nil, err
	}
	m.latencyLoop = four - 4*(sixteen-four)/12
	return m, nil
}

// Predict predicts the cost of one function.
func (m *Model) Predict(ctx context.Context, f hashbench.Func) (Prediction, error) {
	p := Prediction{Function: f.Name, Core: m.Name, Hz: m.Hz}
	latency, instructions, err := m.short(ctx, f.Name, "latency")
	if err != nil {
		return p, err
	}
	throughput, _, err := m.short(ctx, f.Name, "throughput")
	if err != nil {
		return p, err
	}
	less, err := m.long(ctx, f.Name, lessBytes)
	if err != nil {
		return p, err
	}
	more, err := m.long(ctx, f.Name, moreBytes)
	if err != nil {
		return p, err
	}
	p.Instructions = instructions
	p.LatencyCycles, p.ThroughputCycles = latency-m.latencyLoop, throughput
	p.LatencyNs, p.ThroughputNs = p.LatencyCycles/m.Hz*1e9, p.ThroughputCycles/m.Hz*1e9
	p.BulkGBps = (moreBytes - lessBytes) / (more - less) * m.Hz / 1e9
	return p, nil
}

// short returns the cycles and instructions of a call in the steady state of a loop.
func (m *Model) short(
	ctx context.Context, function, mode string,
) (cycles, instructions float64, err error) {
	addresses, err := m.trace(ctx, &m.Core, function, mode, shortBytes, manyCalls+2)
	if err != nil {
		return 0, 0, err
	}
	few, err := m.between(addresses, 0, fewCalls)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", function, err)
	}
	many, err := m.between(addresses, 0, manyCalls)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", function, err)
	}
	first, err := m.cost(ctx, few)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", function, err)
	}
	second, err := m.cost(ctx, many)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", function, err)
	}
	n := float64(manyCalls - fewCalls)
	return (second - first) / n, float64(len(many)-len(few)) / n, nil
}

// long returns the cycles of one call.
func (m *Model) long(ctx context.Context, function string, bytes int) (float64, error) {
	addresses, err := m.trace(ctx, &m.Core, function, "throughput", bytes, 2)
	if err != nil {
		return 0, err
	}
	one, err := m.between(addresses, 0, 1)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", function, err)
	}
	return m.cost(ctx, one)
}

// between is the part of a trace between two calls of the loop, from the call numbered from to the
// call numbered to.
func (m *Model) between(addresses []uint64, from, to int) ([]string, error) {
	var part []string
	seen := 0
	for _, at := range addresses {
		text, known := m.code.text[at]
		if !known {
			return nil, fmt.Errorf("the trace has an instruction at %#x, which the listing lacks",
				at)
		}
		if m.code.isLoopCall(at) {
			if seen == to {
				return part, nil
			}
			seen++
		}
		if seen > from {
			part = append(part, text)
		}
	}
	return nil, fmt.Errorf("the trace has %d calls, allowed: more than %d", seen, to)
}

var (
	multiply     = regexp.MustCompile(`^(mul|madd|msub|mneg)\tx`)
	multiplyHigh = regexp.MustCompile(`^umulh\tx`)
)

// cost is the greater of llvm-mca's cycles and the cycles for which the multiplier is busy.
func (m *Model) cost(ctx context.Context, instructions []string) (float64, error) {
	busy := 0.0
	for _, text := range instructions {
		if multiply.MatchString(text) {
			busy += m.MulBusy
		} else if multiplyHigh.MatchString(text) {
			busy += m.UmulhBusy
		}
	}
	cycles, err := m.cycles(ctx, &m.Core, strings.Join(instructions, "\n")+"\n")
	return max(cycles, busy), err
}
