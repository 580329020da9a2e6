package sweep

import (
	"strings"

	"dpukv/internal/field"
	"dpukv/placement/submode/packetfilter"
)

// filters are packet work on the path, in the words of packetfilter.Parse.
var filters = field.Or(none, field.Text("", func(s string) (string, bool) {
	f, err := packetfilter.Parse(strings.Fields(s))
	return f.String(), err == nil && s != ""
})).As(packetfilter.Words)

// WorkOnPath parses a text that the codec has accepted, or made.
func WorkOnPath(text string) packetfilter.Filter {
	f, _ := packetfilter.Parse(strings.Fields(text))
	return f
}
