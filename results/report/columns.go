package report

import (
	"encoding/json"
	"strconv"
	"time"

	"dpukv/results"
	"dpukv/results/columns"
)

// column is the written form of one field's values; see the package's text.
type column struct {
	All  any   `json:"all,omitempty"`
	Of   []any `json:"of,omitempty"`
	At   []int `json:"at,omitempty"`
	Each []any `json:"each,omitempty"`
}

// brief is a number with as many digits as any measurement has.
type brief float64

func (b brief) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(b), 'g', 7, 64), nil
}

func (m *Model) fillColumns() {
	m.Columns, m.Order = make(map[string]*column), []string{}
	for _, c := range columns.All() {
		m.add(c.Name, func(p *results.Point) any { return jsonValue(&c, p) })
	}
	m.add("bottleneck", func(p *results.Point) any { return p.Bottleneck().Side })
	m.add("bottleneck_why", func(p *results.Point) any { return p.Bottleneck().Why })
	for _, of := range results.Metrics(func(m *results.Metric) bool { return m.Reported }) {
		m.add(of.Name, func(p *results.Point) any {
			if of.Measured(p) {
				return brief(of.Of(p))
			}
			return rawText("")
		})
	}
}

// jsonValue returns a comparable value, so that equal values can be found.
func jsonValue(c *columns.Column, p *results.Point) any {
	switch v := c.Value(p).(type) {
	case float64:
		return brief(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case string:
		if c.Kind == columns.JSON {
			return rawText(v)
		}
		return v
	default:
		return v
	}
}

// rawText is verbatim JSON; "" becomes null.
type rawText string

func (r rawText) MarshalJSON() ([]byte, error) {
	if r == "" {
		return []byte("null"), nil
	}
	return []byte(r), nil
}

var _ json.Marshaler = rawText("")

// add writes a column in the shortest of the three forms.
func (m *Model) add(name string, value func(*results.Point) any) {
	m.Order = append(m.Order, name)
	place := make(map[any]int)
	c := &column{At: make([]int, 0, len(m.Points))}
	for i := range m.Points {
		v := value(&m.Points[i])
		at, seen := place[v]
		if !seen {
			at = len(c.Of)
			place[v] = at
			c.Of = append(c.Of, v)
		}
		c.At = append(c.At, at)
	}
	switch {
	case len(c.Of) == 1:
		*c = column{All: c.Of[0]}
	case len(c.Of) > len(m.Points)/2:
		each := make([]any, len(c.At))
		for i, at := range c.At {
			each[i] = c.Of[at]
		}
		*c = column{Each: each}
	}
	m.Columns[name] = c
}
