package performance

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Units of a repeat's line.
const (
	OthersUnit = "others-cpus" // on average over the repeat
	StolenUnit = "stolen-cpus"
	L1Unit     = "fixed-L1-ns" // a step of fixed work, before or after: the slower
	MemoryUnit = "fixed-memory-ns"
)

// Limits of a repeat that counts.
const (
	mostDisturbed = .1   // CPUs that others and the hypervisor took
	mostSlower    = 1.15 // its fixed work, over the file's lower quartile
)

// File is a result file.
type File struct {
	Header    map[string]string // the lines "key: value" before the first benchmark
	Values    Values            // of quiet repeats
	Disturbed Values            // of the other ones

	repeats, busy, slow int                // all, and those that are disturbed, by the reason
	quiet               map[string]float64 // the lower quartile of fixed work, by its unit
}

// repeat is a line.
type repeat struct {
	figures Values
	others  float64            // CPUs
	fixed   map[string]float64 // by its unit, without what the line does not have
}

// Values are the repeats of each figure. A name is a benchmark's with its package, and the unit:
// "partition.Get/keys=10 ns/op".
type Values map[string][]float64

func (v Values) add(more Values) {
	for name, values := range more {
		v[name] = append(v[name], values...)
	}
}

// procs is what "go test" appends to a benchmark's name.
var procs = regexp.MustCompile(`-\d+$`)

// Parse reads the output of benchmarks.
func Parse(text string) (*File, error) {
	f := &File{
		Header: map[string]string{}, Values: Values{}, Disturbed: Values{},
		quiet: map[string]float64{},
	}
	var repeats []*repeat
	pkg := ""
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && !strings.Contains(key, " ") {
			if value = strings.TrimSpace(value); key == "pkg" {
				pkg = value[strings.LastIndex(value, "/")+1:]
			} else if len(repeats) == 0 {
				f.Header[key] = value
			}
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := procs.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
		r, err := parseRepeat(pkg+"."+name, fields[2:])
		if err != nil {
			return nil, err
		}
		repeats = append(repeats, r)
	}
	f.divide(repeats)
	return f, nil
}

// parseRepeat reads a line's figures: values and their units.
func parseRepeat(name string, fields []string) (*repeat, error) {
	r := &repeat{figures: Values{}, fixed: map[string]float64{}}
	for i := 0; i+1 < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: found %q, want a number", name, fields[i])
		}
		switch unit := fields[i+1]; unit {
		case OthersUnit, StolenUnit:
			r.others += value
		case L1Unit, MemoryUnit:
			r.fixed[unit] = value
		default:
			r.figures[name+" "+unit] = []float64{value}
		}
	}
	return r, nil
}

// divide sets the disturbed repeats apart.
func (f *File) divide(repeats []*repeat) {
	all := Values{}
	for _, r := range repeats {
		for unit, ns := range r.fixed {
			all[unit] = append(all[unit], ns)
		}
	}
	for unit, ns := range all {
		slices.Sort(ns)
		f.quiet[unit] = ns[(len(ns)-1)/4]
	}
	f.repeats = len(repeats)
	for _, r := range repeats {
		slow := false
		for unit, ns := range r.fixed {
			slow = slow || ns > mostSlower*f.quiet[unit]
		}
		to := f.Disturbed
		switch {
		case r.others > mostDisturbed:
			f.busy++
		case slow:
			f.slow++
		default:
			to = f.Values
		}
		to.add(r.figures)
	}
}

// Short lists the benchmarks with fewer quiet repeats than n: "partition.Get/keys=10".
func (f *File) Short(n int) []string {
	quiet := map[string]int{}
	for _, values := range []Values{f.Disturbed, f.Values} {
		for name := range values {
			quiet[name[:strings.LastIndexByte(name, ' ')]] = len(f.Values[name])
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(quiet)), func(name string) bool {
		return quiet[name] >= n
	})
}

// SetApart says how many repeats do not count, and why.
func (f *File) SetApart() string {
	text := fmt.Sprintf("%d of %d repeats: %d as others or the hypervisor had over %.1f CPUs",
		f.busy+f.slow, f.repeats, f.busy, mostDisturbed)
	if len(f.quiet) == 0 {
		return text + "; fixed work was not measured"
	}
	text += fmt.Sprintf(", %d as fixed work took over %.2f times the lower quartile:", f.slow,
		mostSlower)
	for _, unit := range slices.Sorted(maps.Keys(f.quiet)) {
		text += fmt.Sprintf(" %g %s", f.quiet[unit], unit)
	}
	return text
}
