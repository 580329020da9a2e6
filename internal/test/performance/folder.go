package performance

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Processor is what all files of one processor say.
type Processor struct {
	Name   string
	Files  []*File
	Values Values // of quiet repeats
}

// Read reads the files of a folder, by the names of their processors. Files of one processor are
// runs of equal standing: a newer one replaces an old one by deleting it.
func Read(dir string) ([]*Processor, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	var all []*Processor
	for _, p := range paths { // in lexical order
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		f, err := Parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		name := f.Header["processor"]
		if name == "" {
			return nil, fmt.Errorf("%s: found no line \"processor: …\" before the benchmarks", p)
		}
		at := slices.IndexFunc(all, func(p *Processor) bool { return p.Name == name })
		if at < 0 {
			at, all = len(all), append(all, &Processor{Name: name, Values: Values{}})
		}
		all[at].Files = append(all[at].Files, f)
		all[at].Values.add(f.Values)
	}
	return all, nil
}

// FileName is the name of a processor's files, without the date: "amd-26-2".
func FileName(processor string) string {
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(processor)), func(w string) bool {
		return w == "family" || w == "model"
	})
	return strings.ReplaceAll(strings.Join(words, "-"), "/", "-")
}

// find returns the repeats of a figure whose benchmark's name may have stars, none across a slash.
func (p *Processor) find(benchmark, unit string) []float64 {
	var found []float64
	for name, values := range p.Values {
		of, u, _ := strings.Cut(name, " ")
		if ok, _ := path.Match(benchmark, of); ok && u == unit {
			found = append(found, values...)
		}
	}
	return found
}
