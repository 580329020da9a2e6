package threshold

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dpukv/internal/numfmt"
	"dpukv/internal/spelling"
	"dpukv/results"
	"dpukv/results/compare"
)

// Threshold is a limit of one figure. It is broken where the figure is beyond the limit.
type Threshold struct {
	text   string // as the user wrote it
	figure compare.Metric
	above  bool // beyond is above the limit, else below it
	too    bool // the limit itself is beyond, too
	limit  float64
}

// String is the threshold as it was written.
func (t *Threshold) String() string { return t.text }

// unit is how people write the values of figures with one unit.
type unit struct {
	name    string // of [compare.Metric]
	example string
	parse   func(string) (float64, error)
	shown   func(float64) string
}

var units = []unit{
	{"ops/s", "a rate such as 500kops", numfmt.ParseRate, numfmt.Rate},
	{"sec", "a time such as 300us", parseTime, func(s float64) string {
		return numfmt.Digits3(s*1e6) + " µs"
	}},
	{"sec/op", "a CPU time per operation such as 500ns", parseTime, func(s float64) string {
		return numfmt.Digits3(s*1e9) + " ns per operation"
	}},
	{"share", "a share such as 0.1%", parseShare, func(x float64) string {
		return numfmt.Digits3(100*x) + " %"
	}},
}

func unitOf(m *compare.Metric) *unit {
	i := slices.IndexFunc(units, func(u unit) bool { return u.name == m.Unit })
	return &units[i] // each figure has one
}

func parseTime(text string) (float64, error) {
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = fmt.Errorf("found %v, allowed: 0 or more", d)
	}
	return float64(d) / 1e9, err
}

// parseShare reads "0.1%", and "0.001" for the same.
func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		x /= 100
	}
	if err == nil && !(x >= 0 && x <= 1) { // NaN, too
		err = fmt.Errorf("found %q, allowed: 0 to 100%%", text)
	}
	return x, err
}

var expression = regexp.MustCompile(`^\s*([^\s<>=]+)\s*(>=|<=|>|<)\s*([^\s<>=].*?)\s*$`)

// Parse reads a threshold such as "p99 > 300us", which is broken where this is so.
func Parse(text string) (t Threshold, err error) {
	parts := expression.FindStringSubmatch(text)
	if parts == nil {
		return t, fmt.Errorf("found %q, allowed: FIGURE > LIMIT, or with >=, <, <=, such as "+
			"\"p99 > 300us\"; %s", text, Allowed())
	}
	figure, found := compare.FindFigure(parts[1])
	if !found {
		return t, fmt.Errorf("found the figure %q%s in %q, allowed: %s", parts[1],
			spelling.Hint(parts[1], names("")), text, Allowed())
	}
	of := unitOf(&figure)
	limit, err := of.parse(parts[3])
	if err != nil {
		return t, fmt.Errorf("found the limit %q in %q, allowed for %s: %s", parts[3], text,
			parts[1], of.example)
	}
	return Threshold{
		strings.TrimSpace(text), figure, parts[2][0] == '>', len(parts[2]) == 2, limit,
	}, nil
}

// Allowed names all figures, with an example of a limit for each unit.
func Allowed() string {
	var parts []string
	for i := range units {
		of := strings.Join(names(units[i].name), ", ")
		if units[i].name == "sec" {
			of += ", also with " + actual + " before them,"
		}
		parts = append(parts, of+" with "+units[i].example)
	}
	return strings.Join(parts, "; ")
}

// names are those of all figures, or of those with this unit. Latencies from the actual send are
// left out of the latter: their names follow from the others.
func names(unit string) (list []string) {
	for _, m := range compare.Figures() {
		if unit == "" || m.Unit == unit && !strings.HasPrefix(m.Name, actual) {
			list = append(list, m.Shown())
		}
	}
	return list
}

// actual begins the names of latencies from the actual send.
const actual = "actual_"

// ofBound is broken where a bound is.
func ofBound(b results.Bound) *Threshold {
	figure, found := compare.FindFigure("latency_" + b.Metric.Name + "_ns")
	if !found {
		panic("threshold: no figure of a latency: " + b.Metric.Name)
	}
	return &Threshold{b.String(), figure, true, false, b.Ns / 1e9}
}
