package stream

import (
	"time"

	"dpukv/internal/field"
	"dpukv/probe"
)

// Names of axes.
const (
	axisCores     = "cores"
	axisWrite     = "write_bytes"
	axisDirection = "direction"

	up, down = "up", "down"
)

const (
	maxCores = 1024
	maxWrite = 1 << 20 // by iperf3
)

// Axes returns the axes of a stream.
func Axes() []probe.Axis {
	return []probe.Axis{
		{
			Name: axisCores, Help: "cores at either end, each with one TCP connection",
			Default: []string{"1"},
			Codec:   field.Whole(1, maxCores).Texts(),
		},
		{
			Name: axisWrite, Help: "size of a write, in bytes",
			Default: []string{"131072"},
			Codec:   field.Whole(1, maxWrite).Texts(),
		},
		{
			Name: axisDirection, Help: "up: the client sends; down: the server sends",
			Default: []string{up},
			Codec:   field.Word([]string{up, down}),
		},
	}
}

// Names of figures.
const (
	figureBandwidth   = "bytes_per_s"
	figureRetransmits = "retransmits"
)

// Figures returns the figures of a stream. The CPU time of both ends is left to the kind.
func Figures() []probe.Figure {
	return []probe.Figure{
		{Name: figureBandwidth, Title: "bandwidth, Gbit/s", Factor: 8e-9},
		{Name: figureRetransmits, Title: "retransmits"},
	}
}

// Threads returns the number of threads that an end keeps busy.
func Threads(s probe.Settings, _ bool) int { return s.Int(axisCores) }

// Expect returns the expected time of a point, set-up included.
func Expect(_ probe.Settings, warmup, duration time.Duration) time.Duration {
	return time.Second + whole(warmup) + whole(duration)
}

// Examine refuses a machine without a usable iperf3.
func Examine(probe.Settings, bool) error {
	_, err := findIperf3()
	return err
}

// options are a task's settings as numbers.
type options struct {
	cores, write int
	direction    string
}

func optionsOf(s probe.Settings) (options, error) {
	s, err := s.Complete(Axes())
	if err != nil {
		return options{}, err
	}
	return options{s.Int(axisCores), s.Int(axisWrite), s.Get(axisDirection)}, nil
}

// whole rounds a time up to whole seconds.
func whole(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}
