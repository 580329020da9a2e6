package results

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// IsProbe reports whether the point measures a machine or a path, without a store.
func (p *Point) IsProbe() bool { return p.Measure != "" }

// Separate returns the points of stores, and the probes. Points without a probe are not copied.
func Separate(points []Point) (stores, probes []Point) {
	if !slices.ContainsFunc(points, func(p Point) bool { return p.IsProbe() }) {
		return points, nil
	}
	for _, p := range points {
		if p.IsProbe() {
			probes = append(probes, p)
		} else {
			stores = append(stores, p)
		}
	}
	return stores, probes
}

// ProbeKey names the configuration of a probe: what its repeats have in common.
func ProbeKey(p *Point) string {
	return fmt.Sprint(p.Measure, " ", p.Settings, " ", p.Placement, " ", p.Submode, " ", p.Machine)
}

// figureOrder is the order in which readers expect figures. Others follow by name.
var figureOrder = []string{
	"latency_ns", "beyond_l1_ns", "mean_latency_ns", "p50_latency_ns", "p99_latency_ns",
	"p999_latency_ns", "bytes_per_s", "median_bytes_per_s", "messages_per_s",
	"transactions_per_s",
}

// FigureNames lists the figures of probes, the most important ones first.
func FigureNames(points []*Point) []string {
	seen := map[string]bool{}
	for _, p := range points {
		for name := range p.Figures {
			seen[name] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), InOrder(figureOrder))
}

// storePoint has the fields of a point, and not its methods.
type storePoint Point

// MarshalJSON writes all fields of a store's point, and of a probe those that are not empty.
func (p Point) MarshalJSON() ([]byte, error) {
	if !p.IsProbe() {
		return json.Marshal(storePoint(p))
	}
	text, err := appendFilled([]byte{'{'}, reflect.ValueOf(p))
	return append(text, '}'), err
}

// appendFilled appends the fields of a struct that are not zero.
func appendFilled(text []byte, v reflect.Value) ([]byte, error) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		var err error
		switch {
		case f.Anonymous && name == "":
			text, err = appendFilled(text, v.Field(i))
		case v.Field(i).IsZero() || name == "-" || !f.IsExported():
		default:
			text, err = appendField(text, name, v.Field(i))
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

func appendField(text []byte, name string, v reflect.Value) ([]byte, error) {
	if text[len(text)-1] != '{' {
		text = append(text, ',')
	}
	text = fmt.Appendf(text, "%q:", name)
	if clients, ok := v.Interface().([]ClientShare); ok {
		return appendClients(text, clients)
	}
	value, err := json.Marshal(v.Interface())
	return append(text, value...), err
}

// appendClients appends the clients of a probe, which have no counts of operations.
func appendClients(text []byte, clients []ClientShare) (_ []byte, err error) {
	for i := range clients {
		text = append(text, "[,"[min(i, 1)], '{')
		if text, err = appendFilled(text, reflect.ValueOf(clients[i])); err != nil {
			return nil, err
		}
		text = append(text, '}')
	}
	return append(text, ']'), nil
}

// probe checks what a probe needs in place of a store's counts.
func (v *violations) probe(p *Point) {
	v.check(p.Placement != "", "placement: found nothing")
	v.check(p.Store == "", "store: found %q in a probe, allowed: none", p.Store)
	v.check(p.Repeat >= 1, "repeat: found %d, allowed: 1 or more", p.Repeat)
	v.check(p.Status != StatusOK || len(p.Figures) > 0, "figures: found none in a point that is ok")
	v.check(p.Status != StatusOK || !p.StartedAt.IsZero(), "started_at: found nothing")
	for name, x := range p.Figures {
		v.check(!math.IsNaN(x) && !math.IsInf(x, 0) && x >= 0,
			"figures: found %s = %v, allowed: 0 or more", name, x)
	}
}
