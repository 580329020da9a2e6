package export

import (
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"dpukv/results"
	"dpukv/results/columns"
)

// Parquet writes one file with a row a point.
func Parquet(w io.Writer, points []results.Point) error {
	all := columns.All()
	group := parquet.Group{}
	for i := range all {
		group[all[i].Name] = node(all[i].Kind)
	}
	// The library sorts a group's columns by name.
	slices.SortFunc(all, func(a, b columns.Column) int { return strings.Compare(a.Name, b.Name) })
	out := parquet.NewWriter(w, parquet.NewSchema("point", group),
		parquet.Compression(&parquet.Zstd))
	row := make(parquet.Row, len(all))
	for i := range points {
		for j := range all {
			row[j] = cell(&all[j], &points[i]).Level(0, defined(&all[j], &points[i]), j)
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	return out.Close()
}

func node(k columns.Kind) parquet.Node {
	switch k {
	case columns.Bool:
		return parquet.Leaf(parquet.BooleanType)
	case columns.Int:
		return parquet.Int(64)
	case columns.Uint:
		return parquet.Uint(64)
	case columns.Float:
		return parquet.Leaf(parquet.DoubleType)
	case columns.Time:
		return parquet.Optional(parquet.Timestamp(parquet.Microsecond))
	case columns.JSON:
		return parquet.Optional(parquet.JSON())
	}
	return parquet.String()
}

func cell(c *columns.Column, p *results.Point) parquet.Value {
	switch v := c.Value(p).(type) {
	case time.Time:
		if v.IsZero() {
			return parquet.NullValue()
		}
		return parquet.Int64Value(v.UnixMicro())
	case string:
		if c.Kind == columns.JSON && v == "" {
			return parquet.NullValue()
		}
		return parquet.ByteArrayValue([]byte(v))
	case uint64:
		// parquet keeps the bits of an unsigned number in a signed one
		return parquet.Int64Value(int64(v))
	case float64:
		return parquet.DoubleValue(v)
	case int64:
		return parquet.Int64Value(v)
	default:
		return parquet.BooleanValue(v.(bool))
	}
}

// defined is the definition level: 1 for a value that is there in an optional column.
func defined(c *columns.Column, p *results.Point) int {
	optional := c.Kind == columns.Time || c.Kind == columns.JSON
	if optional && !cell(c, p).IsNull() {
		return 1
	}
	return 0
}
