package export

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"dpukv/results"
)

var formats = map[string]func(io.Writer, []results.Point) error{
	"csv": CSV, "parquet": Parquet, "benchfmt": Benchfmt,
}

// Format returns the function that writes the format of this name.
func Format(name string) (func(io.Writer, []results.Point) error, error) {
	write, ok := formats[name]
	if !ok {
		known := slices.Sorted(maps.Keys(formats))
		return nil, fmt.Errorf("format: found %q, allowed: %s", name, strings.Join(known, ", "))
	}
	return write, nil
}
