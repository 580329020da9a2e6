package trace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// columns reads a CSV file whose first line names its columns. A field may stand in quotes.
type columns struct {
	at       [6]int // the place of each column of the table; -1: absent
	unit     time.Duration
	ttlUnit  time.Duration
	fraction bool // a time was no whole number of units
	fields   [maxColumns][]byte
	names    int
	left     []string // columns that are not read
}

const maxColumns = 64

// The columns, in the order of columns.at.
const (
	timeColumn = iota
	keyColumn
	opColumn
	valueSizeColumn
	keySizeColumn
	ttlColumn
)

// ColumnNames says which columns a CSV file has.
const ColumnNames = "time_s, time_ms, time_us or time_ns; key; op; value_size; " +
	"and, if there are any, key_size and ttl_s or ttl_ms"

var timeUnits = map[string]time.Duration{
	"_s": time.Second, "_ms": time.Millisecond, "_us": time.Microsecond, "_ns": time.Nanosecond,
}

// named reports whether a file's first line names columns.
func named(first []byte) bool {
	words := strings.ToLower(string(first))
	return strings.Contains(words, "time") && strings.Contains(words, "key")
}

func newColumns(first []byte) (*columns, error) {
	c := &columns{at: [6]int{-1, -1, -1, -1, -1, -1}}
	n, ok := split(first, &c.fields)
	if !ok {
		return nil, fmt.Errorf("line 1: found more than %d columns", maxColumns)
	}
	c.names = n
	for i, field := range c.fields[:n] {
		name := strings.ToLower(string(bytes.TrimSpace(field)))
		column, err := c.column(name)
		if err != nil {
			return nil, err
		}
		if column < 0 {
			c.left = append(c.left, name)
			continue
		}
		if c.at[column] >= 0 {
			return nil, fmt.Errorf("line 1: found two columns like %q, allowed: one", name)
		}
		c.at[column] = i
	}
	for column, name := range []string{"time_s", "key", "op", "value_size"} {
		if c.at[column] < 0 {
			return nil, fmt.Errorf("line 1: found no column %s, allowed: %s", name, ColumnNames)
		}
	}
	return c, nil
}

// column finds the column of a name, and sets the units in it. It returns -1 for other names.
func (c *columns) column(name string) (int, error) {
	if unit, ok := strings.CutPrefix(name, "time"); ok {
		if c.unit = timeUnits[unit]; c.unit == 0 {
			return 0, fmt.Errorf("line 1: found the column %q, allowed: time_s, time_ms, time_us, "+
				"time_ns: name the unit", name)
		}
		return timeColumn, nil
	}
	switch name {
	case "ttl", "ttl_s":
		c.ttlUnit = time.Second
		return ttlColumn, nil
	case "ttl_ms":
		c.ttlUnit = time.Millisecond
		return ttlColumn, nil
	}
	return slices.Index([]string{"", "key", "op", "value_size", "key_size"}, name), nil
}

func (c *columns) format() string {
	if len(c.left) == 0 {
		return "csv"
	}
	return "csv without its columns " + strings.Join(c.left, ", ")
}

func (c *columns) unitNs() int64 {
	if c.fraction || c.unit == time.Nanosecond {
		return 0
	}
	return int64(c.unit)
}

func (c *columns) parse(text []byte, l *line) (fault string) {
	n, ok := split(text, &c.fields)
	if !ok || n != c.names {
		return fmt.Sprintf("not the %d fields of line 1", c.names)
	}
	if l.atNs, ok = c.time(c.fields[c.at[timeColumn]]); !ok {
		return "no time"
	}
	l.key, l.op = c.fields[c.at[keyColumn]], c.fields[c.at[opColumn]]
	if l.valueBytes, ok = number(c.fields[c.at[valueSizeColumn]]); !ok {
		return "no value size"
	}
	l.keyBytes = uint64(len(l.key))
	if at := c.at[keySizeColumn]; at >= 0 {
		if l.keyBytes, ok = number(c.fields[at]); !ok {
			return "no key size"
		}
	}
	l.ttl = 0
	if at := c.at[ttlColumn]; at >= 0 && len(c.fields[at]) > 0 {
		ttl, ok := number(c.fields[at])
		if !ok {
			return "no TTL"
		}
		l.ttl = times(ttl, c.ttlUnit)
	}
	return ""
}

// time reads a time with or without decimals. Those beyond a nanosecond are cut.
func (c *columns) time(text []byte) (ns int64, ok bool) {
	whole, decimals, has := bytes.Cut(text, []byte{'.'})
	n, ok := number(whole)
	if !ok || n > maxAtNs/uint64(c.unit) {
		return 0, false
	}
	ns = int64(n) * int64(c.unit)
	if !has {
		return ns, true
	}
	c.fraction = true
	unit := int64(c.unit)
	for _, d := range decimals {
		if d < '0' || d > '9' {
			return 0, false
		}
		unit /= 10
		ns += int64(d-'0') * unit
	}
	return ns, len(decimals) > 0
}

// split finds the fields of a line, and takes the quotes around them off. It is false for more
// fields than there is room for.
func split(text []byte, fields *[maxColumns][]byte) (n int, ok bool) {
	for n < maxColumns {
		end := bytes.IndexByte(text, ',')
		if len(text) > 0 && text[0] == '"' {
			end = quotedEnd(text)
		}
		if end < 0 {
			fields[n] = unquote(text)
			return n + 1, true
		}
		fields[n] = unquote(text[:end])
		text = text[end+1:]
		n++
	}
	return n, false
}

// quotedEnd is the place of the comma behind a field in quotes, or -1.
func quotedEnd(text []byte) int {
	within := false
	for i, c := range text {
		switch {
		case c == '"':
			within = !within
		case c == ',' && !within:
			return i
		}
	}
	return -1
}

func unquote(field []byte) []byte {
	if n := len(field); n >= 2 && field[0] == '"' && field[n-1] == '"' {
		return field[1 : n-1]
	}
	return field
}
