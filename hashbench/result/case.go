package result

import (
	"fmt"
	"strconv"
	"strings"
)

// Mode is the dependency between consecutive calls.
type Mode string

// Latency has each input depend on the last hash; Throughput has independent inputs.
const (
	Latency    Mode = "latency"
	Throughput Mode = "throughput"
)

// The limits of a measurable case.
const (
	MaxBytes = 1 << 20
	MaxAlign = 7
)

// Case is one situation for calls of a function.
type Case struct {
	Mode Mode `json:"mode"`
	// Lengths are random between these two, both included. If both are equal, the length is fixed.
	MinBytes int `json:"min_bytes"`
	MaxBytes int `json:"max_bytes"`
	Align    int `json:"align"` // of the input's address, from a multiple of 64
}

// Fixed is a case of one length.
func Fixed(mode Mode, bytes int) Case { return Case{Mode: mode, MinBytes: bytes, MaxBytes: bytes} }

// Validate reports the parts of c that can't be measured.
func (c Case) Validate() error {
	switch {
	case c.Mode != Latency && c.Mode != Throughput:
		return fmt.Errorf("mode: found %q, allowed: %s, %s", c.Mode, Latency, Throughput)
	case c.MinBytes < 1 || c.MaxBytes > MaxBytes || c.MinBytes > c.MaxBytes:
		return fmt.Errorf("length: found %s, allowed: 1 B to 1 MiB, or a range such as 1-32",
			c.Length())
	case c.Align < 0 || c.Align > MaxAlign:
		return fmt.Errorf("alignment: found %d, allowed: 0 to %d", c.Align, MaxAlign)
	}
	return nil
}

// Random reports whether lengths vary.
func (c Case) Random() bool { return c.MinBytes != c.MaxBytes }

// MeanBytes is the mean length.
func (c Case) MeanBytes() float64 { return float64(c.MinBytes+c.MaxBytes) / 2 }

// Length is the length in words: "16 B", "256 KiB", "1-32 B".
func (c Case) Length() string {
	if c.Random() {
		return fmt.Sprintf("%d-%d B", c.MinBytes, c.MaxBytes)
	}
	return SizeText(c.MinBytes)
}

func (c Case) String() string {
	s := c.Length() + " " + string(c.Mode)
	if c.Align != 0 {
		s += " at alignment " + strconv.Itoa(c.Align)
	}
	return s
}

// MainCases are the cases of the study and those that correct it: a fixed short length, lengths
// that no branch predictor learns, and long input.
func MainCases() []Case {
	return []Case{
		Fixed(Latency, 16), Fixed(Throughput, 16),
		{Mode: Latency, MinBytes: 1, MaxBytes: 32},
		{Mode: Throughput, MinBytes: 1, MaxBytes: 32},
		Fixed(Throughput, 256<<10),
	}
}

// ParseLengths reads a length, "16" or "256KiB", or a range of random ones, "1-32".
func ParseLengths(text string) (lo, hi int, err error) {
	from, to, isRange := strings.Cut(text, "-")
	lo, err = parseSize(from)
	hi = lo
	if err == nil && isRange {
		hi, err = parseSize(to)
	}
	if err == nil && (lo < 1 || hi > MaxBytes || lo > hi || isRange && lo == hi) {
		err = fmt.Errorf("length: found %q, which is out of range", text)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%w; allowed: 1 to 1MiB, or a range such as 1-32 for random "+
			"lengths",
			err)
	}
	return lo, hi, nil
}

func parseSize(text string) (int, error) {
	number, unit := strings.TrimSpace(text), 1
	for suffix, bytes := range map[string]int{"KiB": 1 << 10, "MiB": 1 << 20} {
		if n, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = strings.TrimSpace(n), bytes
		}
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > MaxBytes {
		return 0, fmt.Errorf("length: found %q, which is no number of bytes", text)
	}
	return n * unit, nil
}

// SizeText writes a number of bytes in the largest unit that divides it.
func SizeText(bytes int) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return strconv.Itoa(bytes>>20) + " MiB"
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return strconv.Itoa(bytes>>10) + " KiB"
	}
	return strconv.Itoa(bytes) + " B"
}
