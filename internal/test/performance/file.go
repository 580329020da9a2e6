package performance

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Units of a repeat's line. Older files also have times of fixed work, which nothing uses.
const (
	OthersUnit = "others-cpus" // on average over the repeat
	StolenUnit = "stolen-cpus"
	fixedUnits = "fixed-"
)

// mostDisturbed is how many CPUs others and the hypervisor may take of a repeat that counts.
const mostDisturbed = .1

// File is a result file.
type File struct {
	Header    map[string]string // the lines "key: value" before the first benchmark
	Values    Values            // of quiet repeats
	Disturbed Values            // of the other ones

	repeats, disturbed int
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
	f := &File{Header: map[string]string{}, Values: Values{}, Disturbed: Values{}}
	pkg := ""
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && !strings.Contains(key, " ") {
			if value = strings.TrimSpace(value); key == "pkg" {
				pkg = value[strings.LastIndex(value, "/")+1:]
			} else if f.repeats == 0 {
				f.Header[key] = value
			}
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := procs.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
		if err := f.addRepeat(pkg+"."+name, fields[2:]); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// addRepeat reads a line's figures: values and their units.
func (f *File) addRepeat(name string, fields []string) error {
	figures, others := Values{}, 0.0
	for i := 0; i+1 < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return fmt.Errorf("%s: found %q, want a number", name, fields[i])
		}
		switch unit := fields[i+1]; {
		case unit == OthersUnit || unit == StolenUnit:
			others += value
		case !strings.HasPrefix(unit, fixedUnits):
			figures[name+" "+unit] = []float64{value}
		}
	}
	f.repeats++
	if others > mostDisturbed {
		f.disturbed++
		f.Disturbed.add(figures)
	} else {
		f.Values.add(figures)
	}
	return nil
}

// SetApart says how many repeats do not count, and why.
func (f *File) SetApart() string {
	return fmt.Sprintf("%d of %d repeats, as others or the hypervisor had over %.1f CPUs",
		f.disturbed, f.repeats, mostDisturbed)
}
