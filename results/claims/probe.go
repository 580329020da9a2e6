package claims

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"dpukv/results"
)

// ofProbe is the value of a claim's key of that takes a figure of probes.
const ofProbe = "probe"

// probeFindings are the figures of all pairs of configurations in one generation, or the reason why
// there are none. A pair differs only in what the two selections say differently.
func (c *Claim) probeFindings(runs []Run, generation string) (list []finding, why string) {
	as := c.configurations(runs, &c.A, generation)
	if len(as) == 0 {
		return nil, missingProbe(runs, &c.A, generation)
	}
	m := results.FigureMetric(c.Figure)
	if c.Over == nil {
		for _, a := range as {
			list = append(list, of(m, whereProbed(&a), &a))
		}
		return list, ""
	}
	overs := c.configurations(runs, c.Over, generation)
	if len(overs) == 0 {
		return nil, missingProbe(runs, c.Over, generation)
	}
	for _, a := range as {
		for _, b := range overs {
			if b.Of(m).Min > 0 && c.alikeProbes(a.Repeats[0], b.Repeats[0]) {
				list = append(list, c.probePair(m, &a, &b))
			}
		}
	}
	return list, "the two sides have different settings"
}

func (c *Claim) probePair(m *results.Metric, a, b *results.Mark) finding {
	f := over(m, a, b, whereProbed(a)+" over "+whereProbed(b))
	f.turn(c.Quantity)
	return f
}

// configurations are the selected probes that have the claim's figure, a configuration each.
func (c *Claim) configurations(runs []Run, s *Selector, generation string) (list []results.Mark) {
	for i := range runs {
		var points []*results.Point
		for p := range runs[i].chosenProbes(s, generation) {
			if results.FigureMetric(c.Figure).Has(p) {
				points = append(points, p)
			}
		}
		for _, repeats := range results.GroupBy(points, func(p *results.Point) string {
			return fmt.Sprint(p.Settings, p.Placement, p.Submode, p.ServerNode.Node)
		}) {
			list = append(list, results.Mark{Repeats: repeats})
		}
	}
	return list
}

// chosenProbes are the probes of a selection, if the run is of its generation. The host of a run is
// no generation: its probes are those of the node kind host.
func (r *Run) chosenProbes(s *Selector, generation string) iter.Seq[*results.Point] {
	return r.filter(r.Probes, s, generation, s.selectsProbe)
}

func (s *Selector) selectsProbe(p *results.Point) bool {
	for name, allowed := range s.Settings {
		if !slices.Contains(allowed, p.Settings[name]) {
			return false
		}
	}
	return p.Measure == s.Measure && (s.Kind == "" || s.Kind == p.ServerNode.Kind) &&
		allows(s.Placement, p.Placement) && allows(s.Submode, p.Submode)
}

// alikeProbes reports whether two probes agree in all that the claim's selections do not say
// differently. The name of a node is no setting.
func (c *Claim) alikeProbes(a, b *results.Point) bool {
	for _, settings := range []map[string]string{a.Settings, b.Settings} {
		for name := range settings {
			same := slices.Equal(c.A.Settings[name], c.Over.Settings[name])
			if same && a.Settings[name] != b.Settings[name] {
				return false
			}
		}
	}
	if a.Submode == "" && b.Submode == "" { // of one machine each
		return a.ServerNode.Kind == b.ServerNode.Kind || c.A.Kind != c.Over.Kind
	}
	return (a.Placement == b.Placement || !slices.Equal(c.A.Placement, c.Over.Placement)) &&
		(a.Submode == b.Submode || !slices.Equal(c.A.Submode, c.Over.Submode))
}

// whereProbed names a configuration.
func whereProbed(m *results.Mark) string {
	first := m.Repeats[0]
	words := []string{first.Measure, where(first)}
	for _, name := range slices.Sorted(maps.Keys(first.Settings)) {
		words = append(words, name+" "+first.Settings[name])
	}
	return strings.Join(words, ", ")
}

// words names the selected probes.
func (s *Selector) probeWords() string {
	words := []string{s.Measure}
	if s.Kind != "" {
		words = append(words, "on a "+s.Kind)
	}
	for _, list := range [][]string{s.Placement, s.Submode} {
		if len(list) > 0 {
			words = append(words, strings.Join(list, " or "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Settings)) {
		words = append(words, name+" "+strings.Join(s.Settings[name], " or "))
	}
	return strings.Join(words, ", ")
}

// missingProbe names what the runs lack for a selection, and the key that measures it.
func missingProbe(runs []Run, s *Selector, generation string) string {
	if text := missingRun(runs, s.of(generation)); text != "" {
		return text
	}
	return fmt.Sprintf("no probe of %s: it needs measure: %s in a sweep", s.probeWords(), s.Measure)
}

// lackingProbes names the submodes and the values of settings of the case's pool without any probe.
func (c *Claim) lackingProbes(k Case, runs []Run) (list []string) {
	for _, generation := range k.each() {
		for _, s := range []*Selector{&c.A, c.Over} {
			if s == nil {
				continue
			}
			for _, part := range s.parts() {
				if len(c.configurations(runs, &part, generation)) == 0 {
					text := part.probeWords()
					if generation != "" {
						text += " on " + title(generation)
					}
					list = append(list, text)
				}
			}
		}
	}
	return list
}

// parts are the selections of a selection's single submodes, or of its single values of a setting.
func (s *Selector) parts() (list []Selector) {
	for _, submode := range s.Submode {
		part := *s
		part.Submode = []string{submode}
		list = append(list, part)
	}
	for name, values := range s.Settings {
		for _, value := range values {
			if len(values) > 1 {
				part := *s
				part.Settings = maps.Clone(s.Settings)
				part.Settings[name] = []string{value}
				list = append(list, part)
			}
		}
	}
	return list
}
