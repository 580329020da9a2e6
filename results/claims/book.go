package claims

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"dpukv/results"
)

// Each source of findings has a file.
var (
	//go:embed claims.yaml
	study []byte
	//go:embed lynx.yaml
	lynx []byte
)

// Books are the findings of all sources, the study's first.
type Books []*Book

// Book is all findings of one source.
type Book struct {
	Source   Source            `yaml:"source"`
	Warnings map[string]string `yaml:"doubts"` // about the source's method, by a short name
	Findings []Finding         `yaml:"findings"`
}

// Source is a publication.
type Source struct {
	Name  string `yaml:"name"`  // one word: "study"
	Title string `yaml:"title"` // with the place of the publication
}

// Finding is one finding of a source.
type Finding struct {
	ID       string   `yaml:"id"`
	Section  string   `yaml:"section"`
	Warnings []string `yaml:"doubts"`
	Claims   []Claim  `yaml:"claims"`
}

// Claim is one sentence with a number for each case, or with what its measurement would need.
type Claim struct {
	Says     string `yaml:"says"`
	Needs    string `yaml:"needs"` // what dpukv does not measure; then the rest is empty
	Of       string `yaml:"of"`
	Figure   string `yaml:"figure"` // of a probe
	At       string `yaml:"at"`     // of a latency
	Quantity string `yaml:"quantity"`
	Pick     string `yaml:"pick"`
	Expect   string `yaml:"expect"`
	OwnLimit bool   `yaml:"own_limit"` // the source gives no figure
	SamePath bool   `yaml:"same_path"` // a and over have one placement and submode
	// AnyThreads allows different server threads of a and over: cores of two machines compare.
	AnyThreads bool      `yaml:"any_threads"`
	Tolerance  *float64  `yaml:"tolerance"` // relative to the study's ratio or figure; default 0.2
	A          Selector  `yaml:"a"`
	Over       *Selector `yaml:"over"`
	Cases      []Case    `yaml:"cases"`
}

// Case is a claim for a pool of generations and a GET share. Without either, the case takes every
// measured one.
type Case struct {
	Generations []string `yaml:"generations"`
	GetRatio    *float64 `yaml:"get_ratio"`
	Study       float64  `yaml:"study"` // its figure
	To          float64  `yaml:"to"`    // its other figure, of a range
}

// Selector chooses points, or times of hash functions. Empty fields match everything.
type Selector struct {
	Store       string   `yaml:"store"`
	Placement   []string `yaml:"placement"`
	Submode     []string `yaml:"submode"`
	Hash        []string `yaml:"hash"`
	Threads     int      `yaml:"server_threads"` // 0: any number
	Neighbour   []string `yaml:"neighbour"`      // kinds; none: points without a neighbour
	Functions   []string `yaml:"functions"`      // hash functions, timed alone
	Generations []string `yaml:"generations"`    // if others than the case's; "host" of functions

	// Of probes, which have no store:

	Measure  string              `yaml:"measure"`
	Kind     string              `yaml:"kind"`     // of the node: "host" or "dpu"
	Settings map[string][]string `yaml:"settings"` // allowed values by axis
}

// defaultTolerance is the tolerance of a claim without one.
const defaultTolerance = 0.2

// Load reads the findings that come with this program.
func Load() (Books, error) {
	var books Books
	for _, text := range [][]byte{study, lynx} {
		b, err := parse(text)
		if err != nil {
			return nil, err
		}
		books = append(books, b)
	}
	return books, nil
}

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
	if len(f.Claims) == 0 {
		wrong("found no claims, allowed: one or more")
	}
	for _, d := range f.Warnings {
		if _, ok := b.Warnings[d]; !ok || instead[d] == nil {
			wrong("the source's method: found %q, allowed: %q", d,
				slices.Sorted(maps.Keys(instead)))
		}
	}
	for i := range f.Claims {
		f.Claims[i].check(wrong)
	}
	return errors.Join(errs...)
}

func (c *Claim) check(wrong func(format string, args ...any)) {
	if (c.Needs == "") == (len(c.Cases) == 0) || c.Says == "" {
		wrong("claim %q: found no says, or not one of needs and cases; allowed: says, and one of "+
			"them", c.Says)
	}
	if c.Needs != "" {
		return
	}
	c.setDefaults()
	for _, field := range []struct {
		name, found string
		allowed     []string
	}{
		{"at", c.At, []string{"load", "throughput"}},
		{"quantity", c.Quantity, []string{"ratio", "lower", "apart"}},
		{"pick", c.Pick, []string{"greatest", "least", "median", "fastest"}},
		{"expect", c.Expect, []string{"about", "up to", "between", "at least", "at most"}},
	} {
		if !slices.Contains(field.allowed, field.found) {
			wrong("%s: found %q, allowed: %q", field.name, field.found, field.allowed)
		}
	}
	if c.Over == nil && c.Quantity != "ratio" && c.Of != "scaling" {
		wrong("claim %q: found no over, allowed: over beside the quantity %q", c.Says, c.Quantity)
	}
	if m, _ := c.metric(); m == nil && !slices.Contains(ratios, c.Of) {
		wrong("of: found %q, allowed: %q, or the title of a metric", c.Of, ratios)
	}
	unit := c.Figure == "" || strings.HasSuffix(c.Figure, "_share") ||
		results.FigureMetric(c.Figure).Unit.Suffix != ""
	if !unit {
		wrong("claim %q: found the figure %q, allowed: one of probes, whose name ends with "+
			"its unit", c.Says, c.Figure)
	}
	if (c.Of == ofProbe) != (c.Figure != "") {
		wrong("claim %q: found the figure %q of %s, allowed: one with of: %s", c.Says, c.Figure,
			c.Of, ofProbe)
	}
	for _, k := range c.Cases {
		if (c.Expect == "between") != (k.To > k.Study) {
			wrong("claim %q: found the range from %v to %v, allowed: a range, and only to expect "+
				"\"between\"", c.Says, k.Study, k.To)
		}
	}
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
