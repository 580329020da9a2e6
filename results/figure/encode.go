package figure

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/figstyle"
)

// drawable is a figure of stores or of probes.
type drawable interface {
	name() string // begins the names of its files
	page() (*page, error)
	csv() ([]byte, error)
}

// format is a kind of file that shows a figure.
type format struct {
	name   string // and the ending of its files
	encode func(drawable) ([]byte, error)
}

var formats = []format{
	{"svg", encodeAs("svg")},
	{"png", encodeAs("png")},
	{"pdf", encodeAs("pdf")},
	{"csv", drawable.csv},
}

// DefaultFormats are the formats of a figure without a list of its own.
var DefaultFormats = []string{"svg", "png", "csv"}

// ParseFormats reads a comma-separated list such as "svg,pdf".
func ParseFormats(list string) ([]string, error) {
	var known, chosen []string
	for _, f := range formats {
		known = append(known, f.name)
	}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("found %q, allowed: one or more of %s, separated by commas",
				name, strings.Join(known, ", "))
		}
		chosen = append(chosen, name)
	}
	return chosen, nil
}

// encodeAs returns what draws a figure in a format of pictures.
func encodeAs(format string) func(drawable) ([]byte, error) {
	return func(f drawable) ([]byte, error) {
		p, err := f.page()
		if err != nil {
			return nil, err
		}
		picture := figstyle.Picture{
			Width: p.style.width, Height: p.height(), DPI: p.style.dpi, Draw: p.draw,
		}
		return picture.Encode(format)
	}
}
