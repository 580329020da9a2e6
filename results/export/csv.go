package export

import (
	"fmt"
	"io"
	"time"

	"dpukv/internal/foreign"
	"dpukv/results"
	"dpukv/results/columns"
)

// CSV writes a header and a row a point.
func CSV(w io.Writer, points []results.Point) error {
	all, out := columns.All(), foreign.NewCSV(w)
	row := make([]string, len(all))
	for i := range all {
		row[i] = all[i].Name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for i := range points {
		for j := range all {
			row[j] = text(all[j].Value(&points[i]))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return out.Flush()
}

// text is a value in a form that programs read back: a time as RFC 3339, or "" for no time.
func text(v any) string {
	t, isTime := v.(time.Time)
	switch {
	case isTime && t.IsZero():
		return ""
	case isTime:
		return t.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v)
}
