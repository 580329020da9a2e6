package results

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// IsProbe reports whether the point measures a machine or a path, without a store.
func (p *Point) IsProbe() bool { return p.Measure != "" }

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
