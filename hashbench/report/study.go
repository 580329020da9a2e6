package report

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/hashbench/result"
	"dpukv/internal/figstyle"
	"dpukv/internal/folder"
)

// Page is the size of a figure, and the formats of its files.
type Page struct {
	Width   vg.Length // 0: that of a page's text
	Formats []string  // of [figstyle.Formats]; none: svg and png
}

// narrow is the width below which two panels of bars would be cramped side by side.
const narrow = 133 * vg.Millimeter

// DrawStudy draws the study's Figure 10 as one figure of two panels: the time of a short hash, and
// the bandwidth for long input, of the study's functions. It has a bar for each function and
// machine. The panels stand side by side, or below each other on a narrow page. DrawStudy returns
// the paths written.
func DrawStudy(dir string, machines []Machine, p Page) ([]string, error) {
	if p.Width == 0 {
		p.Width = figstyle.Width
	}
	if p.Formats == nil {
		p.Formats = []string{"svg", "png"}
	}
	var panels []*figure
	for _, c := range []result.Case{
		result.Fixed(result.Latency, 16), result.Fixed(result.Throughput, 256<<10),
	} {
		f := newFigure(c, machines)
		f.groups = slices.DeleteFunc(f.groups, func(g group) bool { return !inStudy(g.label) })
		f.most = f.rightEnd()
		if len(f.groups) == 0 {
			return nil, fmt.Errorf("figure 10: found no report with the case %s, allowed: one "+
				"that dpukv hash measured without --lengths", c)
		}
		panels = append(panels, f)
	}
	out, err := folder.Create(dir)
	if err != nil {
		return nil, err
	}
	picture := stack(panels, p.Width)
	if p.Width >= narrow {
		picture = row(panels, p.Width)
	}
	return write(&picture, out, "fig10", p.Formats)
}

// families are the functions of the study, by the beginnings of their names.
var families = []string{"city", "murmur", "spooky", "xxh", "fnv", "md5"}

// inStudy reports whether the study has a function. It has no variants of other modules.
func inStudy(name string) bool {
	return !strings.Contains(name, "@") &&
		slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(name, f) })
}

// row puts panels side by side.
func row(panels []*figure, width vg.Length) figstyle.Picture {
	part := width / vg.Length(len(panels))
	height := vg.Length(0)
	for _, f := range panels {
		f.width = part
		height = max(height, f.height())
	}
	return page(width, height, func(c draw.Canvas) {
		for i, f := range panels {
			left := vg.Length(i) * part
			f.draw(draw.Crop(c, left, left+part-width, height-f.height(), 0))
		}
	})
}

// stack puts panels below each other.
func stack(panels []*figure, width vg.Length) figstyle.Picture {
	height := vg.Length(0)
	for _, f := range panels {
		f.width = width
		height += f.height()
	}
	return page(width, height, func(c draw.Canvas) {
		top := vg.Length(0)
		for _, f := range panels {
			bottom := height - top - f.height()
			f.draw(draw.Crop(c, 0, 0, bottom, -top))
			top += f.height()
		}
	})
}

func page(width, height vg.Length, panels func(draw.Canvas)) figstyle.Picture {
	return figstyle.Picture{
		Width: width, Height: height, DPI: figstyle.DPI,
		Draw: func(c draw.Canvas) {
			c.SetColor(color.White)
			c.Fill(c.Path())
			panels(c)
		},
	}
}
