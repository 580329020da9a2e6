package claims

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"
)

//go:embed claims.yaml
var text []byte

// Book is all findings.
type Book struct {
	Doubts   map[string]string `yaml:"doubts"` // about the study's method, by a short name
	Findings []Finding         `yaml:"findings"`
}

// Finding is one finding of the study. It has claims, or else names what its measurement would
// need.
type Finding struct {
	ID      string   `yaml:"id"`
	Says    string   `yaml:"says"`
	Section string   `yaml:"section"`
	Doubts  []string `yaml:"doubts"`
	Needs   string   `yaml:"needs"` // what no run folder has
	Claims  []Claim  `yaml:"claims"`
}

// Claim is one sentence with a number for each case.
type Claim struct {
	Says      string    `yaml:"says"`
	Of        string    `yaml:"of"`
	At        string    `yaml:"at"` // of a latency
	Quantity  string    `yaml:"quantity"`
	Pick      string    `yaml:"pick"`
	Expect    string    `yaml:"expect"`
	Tolerance *float64  `yaml:"tolerance"` // relative to the study's figure; default 0.2
	A         Selector  `yaml:"a"`
	Over      *Selector `yaml:"over"`
	Cases     []Case    `yaml:"cases"`
}

// Case is a claim for one generation and GET share; nil stands for every measured one.
type Case struct {
	Generation string   `yaml:"generation"`
	GetRatio   *float64 `yaml:"get_ratio"`
	Study      float64  `yaml:"study"` // its figure
}

// Selector chooses points. Empty fields match every point.
type Selector struct {
	Store      string   `yaml:"store"`
	Placement  []string `yaml:"placement"`
	Submode    []string `yaml:"submode"`
	Hash       []string `yaml:"hash"`
	Generation string   `yaml:"generation"` // if another than the case's
}

// defaultTolerance is the tolerance of a claim without one.
const defaultTolerance = 0.2

// Load reads the findings that come with this program.
func Load() (*Book, error) { return parse(text) }

func parse(text []byte) (*Book, error) {
	var b Book
	if err := yaml.UnmarshalWithOptions(text, &b, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("claims: %w", err)
	}
	var errs []error
	for i := range b.Findings {
		errs = append(errs, b.check(&b.Findings[i]))
	}
	return &b, errors.Join(errs...)
}

func (b *Book) check(f *Finding) error {
	var errs []error
	wrong := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("claims: %s: "+format, append([]any{f.ID}, args...)...))
	}
	if (f.Needs == "") == (len(f.Claims) == 0) {
		wrong("found neither claims nor needs, or both; allowed: one of them")
	}
	for _, d := range f.Doubts {
		if _, ok := b.Doubts[d]; !ok || instead[d] == nil {
			wrong("the study's method: found %q, allowed: %q", d, slices.Sorted(maps.Keys(instead)))
		}
	}
	for i := range f.Claims {
		c := &f.Claims[i]
		c.setDefaults()
		for _, field := range []struct {
			name, found string
			allowed     []string
		}{
			{"of", c.Of, []string{"peak", "latency", "hash share", "spread", "scaling"}},
			{"at", c.At, []string{"load", "throughput"}},
			{"quantity", c.Quantity, []string{"ratio", "lower", "apart"}},
			{"pick", c.Pick, []string{"greatest", "least"}},
			{"expect", c.Expect, []string{"about", "at least", "at most"}},
		} {
			if !slices.Contains(field.allowed, field.found) {
				wrong("%s: found %q, allowed: %q", field.name, field.found, field.allowed)
			}
		}
		if c.Says == "" || len(c.Cases) == 0 || c.Over == nil && c.Quantity != "ratio" {
			wrong("claim %d (%q) lacks says, cases or over", i+1, c.Says)
		}
	}
	return errors.Join(errs...)
}

func (c *Claim) setDefaults() {
	for _, d := range []struct {
		field *string
		value string
	}{{&c.At, "load"}, {&c.Quantity, "ratio"}, {&c.Pick, "greatest"}, {&c.Expect, "about"}} {
		if *d.field == "" {
			*d.field = d.value
		}
	}
	if c.Tolerance == nil {
		t := defaultTolerance
		c.Tolerance = &t
	}
}
