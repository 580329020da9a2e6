package performance

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Units of a repeat's line: CPUs, on average over the repeat.
const (
	OthersUnit = "others-cpus"
	StolenUnit = "stolen-cpus"
)

// mostDisturbed is how many CPUs others and the hypervisor may take of a repeat that counts.
const mostDisturbed = .1

// File is a result file.
type File struct {
	Header    map[string]string // the lines "key: value" before the first benchmark
	Values    Values            // of quiet repeats
	Disturbed Values            // of the other ones
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
	f := &File{map[string]string{}, Values{}, Values{}}
	pkg := ""
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && !strings.Contains(key, " ") {
			if value = strings.TrimSpace(value); key == "pkg" {
				pkg = value[strings.LastIndex(value, "/")+1:]
			} else if len(f.Values)+len(f.Disturbed) == 0 {
				f.Header[key] = value
			}
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := procs.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
		if err := f.repeat(pkg+"."+name, fields[2:]); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// repeat adds the figures of a line: values and their units.
func (f *File) repeat(name string, fields []string) error {
	found, others := Values{}, 0.0
	for i := 0; i+1 < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return fmt.Errorf("%s: found %q, want a number", name, fields[i])
		}
		switch unit := fields[i+1]; unit {
		case OthersUnit, StolenUnit:
			others += value
		default:
			found[name+" "+unit] = []float64{value}
		}
	}
	if others > mostDisturbed {
		f.Disturbed.add(found)
	} else {
		f.Values.add(found)
	}
	return nil
}
