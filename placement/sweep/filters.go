package sweep

import (
	"cmp"
	"strings"

	"dpukv/internal/strictyaml"
	"dpukv/placement/submode/packetfilter"
)

// filters are packet work on the path, in the words of packetfilter.Parse.
var filters = strictyaml.Codec[string]{
	Parse: func(s string) (string, error) {
		f, err := packetfilter.Parse(strings.Fields(s))
		if err != nil || s == "" {
			return "", strictyaml.ErrNotAllowed
		}
		return f.String(), nil
	},
	Format:  func(s string) string { return cmp.Or(s, none) },
	Allowed: packetfilter.Words,
}

// WorkOnPath parses a text that the codec has accepted.
func WorkOnPath(text string) packetfilter.Filter {
	f, _ := packetfilter.Parse(strings.Fields(text))
	return f
}
