package figure

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// format is a kind of file that shows a figure.
type format struct {
	name   string // and the ending of its files
	encode func(*figure) ([]byte, error)
}

var formats = []format{
	{"svg", (*figure).svg}, {"png", (*figure).png}, {"pdf", (*figure).pdf}, {"csv", (*figure).csv},
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

func (f *figure) png() ([]byte, error) {
	p, err := f.page()
	if err != nil {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(p.style.width, p.height()), vgimg.UseDPI(p.style.dpi))
	p.draw(draw.New(canvas))
	return written(vgimg.PngCanvas{Canvas: canvas})
}

func (f *figure) svg() ([]byte, error) {
	p, err := f.page()
	if err != nil {
		return nil, err
	}
	canvas := vgsvg.New(p.style.width, p.height())
	p.draw(draw.New(canvas))
	data, err := written(canvas)
	// The font is not embedded: that would make each figure half a megabyte. These fonts have the
	// same widths.
	for family, alike := range map[string]string{
		"Sans":  "Arial,Helvetica,sans-serif",
		"Serif": "'Times New Roman',Times,serif",
		"Mono":  "'Courier New',Courier,monospace",
	} {
		name := "Liberation " + family
		data = bytes.ReplaceAll(data, []byte("font-family:"+name+";"),
			[]byte("font-family:'"+name+"',"+alike+";"))
	}
	return data, err
}

func written(w io.WriterTo) ([]byte, error) {
	var b bytes.Buffer
	_, err := w.WriteTo(&b)
	return b.Bytes(), err
}
