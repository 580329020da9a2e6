package sweep

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/field"
	"dpukv/internal/spelling"
)

// Selection keeps the points that have, for every given key, one of the given values.
type Selection map[string][]string

// repeatKey selects repeats. It is no key of a sweep file.
const repeatKey = "repeat"

// measureAxis selects stores or kinds of probes.
const measureAxis = "measure"

// ParseSelection reads "get_ratio=1,client_threads=2,client_threads=4" and checks it against the
// sweep: a value that the sweep lacks would silently select nothing.
func ParseSelection(text string, s *Sweep) (Selection, error) {
	f := Selection{}
	if text == "" {
		return f, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("--only: found %q, allowed: key=value", part)
		}
		key, value = nameNow(strings.TrimSpace(key)), strings.TrimSpace(value)
		if s.FromPeaks() && (key == repeatKey || key == "rate") {
			return nil, fmt.Errorf("--only: found %s, allowed where rates follow from the peaks: "+
				"the other keys", key)
		}
		if s.RepeatsUntil > 0 && key == repeatKey {
			return nil, errRepeatUntil
		}
		var err error
		switch key {
		case repeatKey:
		case measureAxis:
			err = s.checkMeasured(value)
		default:
			value, err = axisValue(s, key, value)
		}
		if err != nil {
			return nil, err
		}
		f[key] = append(f[key], value)
	}
	if err := f.checkRepeats(s); err != nil {
		return nil, err
	}
	return f, nil
}

func axisValue(s *Sweep, key, value string) (string, error) {
	i := keyIndex(key)
	if i < 0 || !sweepKeys[i].swept() {
		known := append(keyNames((*sweepKey).swept), measureAxis, repeatKey)
		return "", fmt.Errorf("--only: found the unknown key %q%s, allowed: %s", key,
			spelling.Hint(key, known), strings.Join(known, ", "))
	}
	has := sweepKeys[i].texts(s)
	if key == placementKey || key == submodeKey {
		for _, c := range s.ProbeConfigs() {
			has = append(has, sweepKeys[i].of(&c))
		}
	}
	text, err := sweepKeys[i].canonical(value)
	if err != nil || !slices.Contains(has, text) {
		return "", fmt.Errorf("--only: found %s=%s, the sweep has: %s", key, value,
			strings.Join(has, ", "))
	}
	return text, nil
}

func (f Selection) checkRepeats(s *Sweep) error {
	repeats := field.Whole(1, s.Repeats)
	for i, text := range f[repeatKey] {
		canonical, err := repeats.Canonical(text)
		if err != nil {
			return fmt.Errorf("--only: found %s=%s, allowed: %s", repeatKey, text, repeats.Allowed)
		}
		f[repeatKey][i] = canonical
	}
	return nil
}

// Keep returns the selected points, in their order.
func (f Selection) Keep(points []Point) []Point {
	return slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return !f.passes(&p) })
}

// KeepConfigs returns the selected configurations, in their order.
func (f Selection) KeepConfigs(configs []Config) []Config {
	return slices.DeleteFunc(slices.Clone(configs), func(c Config) bool {
		return !f.passes(&Point{Config: c})
	})
}

func (f Selection) passes(p *Point) bool {
	for key, values := range f {
		if !slices.Contains(values, p.value(key)) {
			return false
		}
	}
	return true
}

// value returns the value of a key that a selection may have. A probe has values for few keys.
func (p *Point) value(key string) string {
	switch {
	case key == repeatKey:
		return fmt.Sprint(p.Repeat)
	case key == measureAxis && p.IsProbe():
		return p.Measure
	case key == measureAxis:
		return measureStores
	case p.IsProbe() && key != placementKey && key != submodeKey:
		return ""
	}
	return sweepKeys[keyIndex(key)].of(&p.Config)
}

// checkMeasured refuses a kind that the sweep does not measure.
func (s *Sweep) checkMeasured(kind string) error {
	var has []string
	if s.MeasuresStores() {
		has = append(has, measureStores)
	}
	for _, m := range s.probes() {
		has = append(has, m.Kind)
	}
	if !slices.Contains(has, kind) {
		return fmt.Errorf("--only: found %s=%s, the sweep has: %s", measureAxis, kind,
			strings.Join(has, ", "))
	}
	return nil
}
