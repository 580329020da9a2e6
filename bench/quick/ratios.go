package main

import (
	"bufio"
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ratios are the values of each ratio, by its name: the benchmark's and the unit.
type ratios map[string][]float64

// procs is what "go test" appends to a benchmark's name.
var procs = regexp.MustCompile(`-\d+$`)

// read adds the ratios of a benchmark's output.
func (r ratios) read(output []byte) error {
	for line := range strings.Lines(string(output)) {
		f := strings.Fields(line)
		if len(f) < 2 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := procs.ReplaceAllString(strings.TrimPrefix(f[0], "Benchmark"), "")
		for i := 2; i+1 < len(f); i += 2 {
			if !strings.HasPrefix(f[i+1], "x-") {
				continue
			}
			value, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			key := name + " " + f[i+1]
			r[key] = append(r[key], value)
		}
	}
	return nil
}

// span is the smallest and the largest value of a ratio, and the median.
type span struct{ low, median, high float64 }

func (r ratios) spans() map[string]span {
	all := map[string]span{}
	for name, values := range r {
		v := slices.Sorted(slices.Values(values))
		all[name] = span{v[0], v[len(v)/2], v[len(v)-1]}
	}
	return all
}

// slack is how far outside the accepted range a ratio may lie.
const slack = .05

// moved says in which direction a ratio has left its accepted range, or "".
func (s span) moved(accepted span) string {
	switch {
	case s.low > accepted.high*(1+slack):
		return "worse"
	case s.high < accepted.low*(1-slack):
		return "better"
	}
	return ""
}

// parseAccepted reads lines of a name, a unit, and a span. A line that begins with # is a comment.
func parseAccepted(text []byte) (map[string]span, error) {
	all := map[string]span{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var name, unit string
		var s span
		if _, err := fmt.Sscan(line, &name, &unit, &s.low, &s.median, &s.high); err != nil {
			return nil, fmt.Errorf("line %d: found %q, want a name, a unit and three ratios", n,
				line)
		}
		all[name+" "+unit] = s
	}
	return all, lines.Err()
}

func formatAccepted(machine string, all map[string]span, names []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s. Lowest, median and highest of the repeats.\n", machine)
	for _, name := range names {
		s := all[name]
		fmt.Fprintf(&b, "%s %.2f %.2f %.2f\n", name, s.low, s.median, s.high)
	}
	return b.Bytes()
}
