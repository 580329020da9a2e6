package threshold

import (
	"fmt"
	"regexp"
	"strings"

	"dpukv/internal/spelling"
	"dpukv/results"
)

// Threshold is a limit of one figure. It is broken where the figure is beyond the limit.
type Threshold struct {
	text   string // as the user wrote it
	figure *results.Metric
	above  bool // beyond is above the limit, else below it
	too    bool // the limit itself is beyond, too
	limit  float64
}

// String is the threshold as it was written.
func (t *Threshold) String() string { return t.text }

var expression = regexp.MustCompile(`^\s*([^\s<>=]+)\s*(>=|<=|>|<)\s*([^\s<>=].*?)\s*$`)

// Parse reads a threshold such as "p99 > 300us", which is broken where this is so.
func Parse(text string) (t Threshold, err error) {
	parts := expression.FindStringSubmatch(text)
	if parts == nil {
		return t, fmt.Errorf("found %q, allowed: FIGURE > LIMIT, or with >=, <, <=, such as "+
			"\"p99 > 300us\"; %s", text, Allowed())
	}
	figure := results.FindMetric(Metrics(), parts[1])
	if figure == nil {
		return t, fmt.Errorf("found the figure %q%s in %q, allowed: %s", parts[1],
			spelling.Hint(parts[1], results.Names(Metrics())), text, Allowed())
	}
	limit, err := figure.Unit.Parse(parts[3])
	if err != nil {
		return t, fmt.Errorf("found the limit %q in %q, allowed for %s: %s", parts[3], text,
			parts[1], figure.Unit.Example)
	}
	return Threshold{
		strings.TrimSpace(text), figure, parts[2][0] == '>', len(parts[2]) == 2, limit,
	}, nil
}

// Metrics returns the metrics that a threshold may name.
func Metrics() []*results.Metric {
	return results.Metrics(func(m *results.Metric) bool { return m.Limited })
}

// Allowed names all figures, with an example of a limit for each unit. Latencies from the actual
// send are left out: their names follow from the others.
func Allowed() string {
	var units []*results.Unit
	names := map[*results.Unit][]string{}
	actual := map[*results.Unit]string{}
	for _, m := range Metrics() {
		switch {
		case m != m.Intended():
			actual[m.Unit] = ", also with actual_ before them,"
			continue
		case names[m.Unit] == nil:
			units = append(units, m.Unit)
		}
		names[m.Unit] = append(names[m.Unit], m.Shown())
	}
	var parts []string
	for _, u := range units {
		parts = append(parts, strings.Join(names[u], ", ")+actual[u]+" with "+u.Example)
	}
	return strings.Join(parts, "; ")
}

// ofBound is broken where a bound is.
func ofBound(b results.Bound) *Threshold {
	return &Threshold{b.String(), b.Metric, true, false, b.Ns}
}
