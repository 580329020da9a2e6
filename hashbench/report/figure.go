package report

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/hashbench/result"
	"dpukv/internal/figstyle"
	"dpukv/internal/folder"
	"dpukv/internal/numfmt"
)

// DrawFigures draws the study's Figure 10 into a folder, as SVG and PNG. It draws a figure for each
// main case of any machine, with a bar for each function and machine. It returns the paths written.
func DrawFigures(dir string, machines []Machine) ([]string, error) {
	out, err := folder.Create(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, c := range result.MainCases() {
		f := newFigure(c, machines)
		if len(f.groups) == 0 {
			continue
		}
		picture := f.picture()
		written, err := write(&picture, out, f.stem(), []string{"svg", "png"})
		if paths = append(paths, written...); err != nil {
			return paths, err
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("the reports have none of the cases that figures are drawn of: " +
			caseNames(result.MainCases()))
	}
	slices.Sort(paths)
	return paths, nil
}

func caseNames(list []result.Case) string {
	var names []string
	for _, c := range list {
		names = append(names, c.String())
	}
	return strings.Join(names, ", ")
}

// figure is one case: groups of bars, one group a function, one bar a machine.
type figure struct {
	kase     result.Case
	machines []Machine
	groups   []group
	most     float64   // right end of the axis
	width    vg.Length // of the page
}

type group struct {
	label string
	bars  []*result.Result // of each machine, nil if it has none
}

func newFigure(c result.Case, machines []Machine) *figure {
	f := &figure{kase: c, machines: machines, width: figstyle.Width}
	var names []string
	for _, m := range machines {
		for _, s := range functions(m.Results) {
			if !slices.Contains(names, s.Function) {
				names = append(names, s.Function)
			}
		}
	}
	for _, name := range names {
		g := group{label: name}
		for _, m := range machines {
			g.bars = append(g.bars, find(m.Report, name, c))
		}
		if slices.ContainsFunc(g.bars, func(r *result.Result) bool { return r != nil }) {
			f.groups = append(f.groups, g)
		}
	}
	f.most = f.rightEnd()
	return f
}

// rightEnd is a round number beyond all bars. The axis begins at zero: a cut one makes small
// differences look large.
func (f *figure) rightEnd() float64 {
	most := 0.0
	for _, g := range f.groups {
		for _, r := range g.bars {
			if r != nil {
				_, _, high := shown(r)
				most = max(most, high)
			}
		}
	}
	step := f.step(most)
	return math.Ceil(most/step) * step
}

// step is the distance of the axis's marks: 1, 2 or 5 times a power of ten. There are at most eight
// marks.
func (f *figure) step(most float64) float64 {
	least := max(most, 1e-9) / 8
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= least {
			return m * power
		}
	}
	return 10 * power
}

func (f *figure) stem() string {
	length := strings.NewReplacer(" ", "", "-", "to").Replace(f.kase.Length())
	return "hash-" + length + "-" + string(f.kase.Mode)
}

func (f *figure) axis() string {
	if asBandwidth(f.kase) {
		return "bandwidth, GB/s (more is better)"
	}
	return "time per hash, ns (less is better)"
}

func (f *figure) title() string {
	on := "one core"
	if slices.ContainsFunc(f.machines, func(m Machine) bool { return m.Machine.Emulator != "" }) {
		on = "emulated in part"
		if len(f.machines) == 1 {
			on = "emulated"
		}
	}
	return fmt.Sprintf("Hashing %s, %s, %s", f.kase.Length(), f.kase.Mode, on)
}

// foot states the conditions of the measurement.
func (f *figure) foot() []string {
	said := []string{}
	for _, m := range f.machines {
		said = append(said, m.says(machineText(m.Report)), clockText(m.Report))
	}
	said = append(said,
		fmt.Sprintf("medians of %d rounds with 95 %% confidence intervals", f.machines[0].Rounds),
		loopText(f.kase.Mode))
	for _, m := range f.machines {
		if n := len(m.Warnings); n > 0 {
			said = append(said, m.says(numfmt.Count(n, "warning")))
		}
	}
	return figstyle.Wrap(said, figstyle.FootText, f.width-2*figstyle.Margin)
}

// loopText tells whether a figure contains the measuring loop.
func loopText(m result.Mode) string {
	if m == result.Latency {
		return "the loop's own cost subtracted"
	}
	return "the loop's own cost contained"
}

func (f *figure) groupHeight() vg.Length {
	return barHeight*vg.Length(max(len(f.machines), 2)) + groupGap
}

func (f *figure) height() vg.Length {
	bars := f.groupHeight() * vg.Length(len(f.groups))
	axis := figstyle.LineHeight(labelText) + figstyle.LineHeight(figstyle.AxisText)
	foot := vg.Length(len(f.foot())) * footLineHeight()
	head := titleHeight() + f.legendHeight() + partGap
	return 2*figstyle.Margin + head + bars + axis + 2*partGap + foot
}

func titleHeight() vg.Length { return figstyle.LineHeight(figstyle.TitleText) }

func footLineHeight() vg.Length { return figstyle.LineHeight(figstyle.FootText) + 1 }

func (f *figure) legendHeight() vg.Length {
	if len(f.machines) < 2 {
		return 0
	}
	return figstyle.LineHeight(labelText) + partGap
}

func (f *figure) picture() figstyle.Picture {
	return figstyle.Picture{Width: f.width, Height: f.height(), DPI: figstyle.DPI, Draw: f.draw}
}

// write writes the files of a picture, one for each format. It returns their paths.
func write(
	p *figstyle.Picture, out *folder.Folder, stem string, formats []string,
) (paths []string, err error) {
	for _, format := range formats {
		name := stem + "." + format
		data, err := p.Encode(format)
		if err == nil {
			err = out.Replace(name, data)
		}
		if err != nil {
			return paths, fmt.Errorf("draw %s: %w", name, err)
		}
		paths = append(paths, out.Path(name))
	}
	return paths, nil
}

// draw draws the parts from the top down.
func (f *figure) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	c = draw.Crop(c, figstyle.Margin, -figstyle.Margin, figstyle.Margin, -figstyle.Margin)
	titleCorner := vg.Point{X: c.Min.X, Y: c.Max.Y - titleHeight()}
	figstyle.Write(c, figstyle.TitleText, titleCorner, f.title())
	c = draw.Crop(c, 0, 0, 0, -titleHeight()-partGap)
	f.drawLegend(c)
	c = draw.Crop(c, 0, 0, 0, -f.legendHeight())
	foot := f.foot()
	for i, line := range foot {
		y := c.Min.Y + vg.Length(len(foot)-1-i)*footLineHeight()
		figstyle.Write(c, figstyle.FootText, vg.Point{X: c.Min.X, Y: y}, line)
	}
	c = draw.Crop(c, f.labelWidth(), -vg.Length(12), vg.Length(len(foot))*footLineHeight()+partGap,
		0)
	axisCorner := vg.Point{X: c.Center().X - figstyle.AxisText.Width(f.axis())/2, Y: c.Min.Y}
	figstyle.Write(c, figstyle.AxisText, axisCorner, f.axis())
	c = draw.Crop(c, 0, 0, figstyle.LineHeight(figstyle.AxisText), 0)
	f.drawGrid(c)
	c = draw.Crop(c, 0, 0, figstyle.LineHeight(labelText)+2, 0)
	for i, g := range f.groups {
		f.drawGroup(c, g, c.Max.Y-vg.Length(i)*f.groupHeight())
	}
}

func (f *figure) drawLegend(c draw.Canvas) {
	if len(f.machines) < 2 {
		return
	}
	x, y := c.Min.X, c.Max.Y-figstyle.LineHeight(labelText)
	for i, m := range f.machines {
		fill(c, barColours[i%len(barColours)], x, y+2, x+12, y+2+barHeight)
		figstyle.Write(c, labelText, vg.Point{X: x + 16, Y: y}, m.label())
		x += 16 + labelText.Width(m.label()) + 14
	}
}

func (f *figure) labelWidth() vg.Length {
	width := vg.Length(0)
	for _, g := range f.groups {
		width = max(width, labelText.Width(g.label))
	}
	return width + partGap
}

func (f *figure) x(c draw.Canvas, value float64) vg.Length {
	return c.Min.X + (c.Max.X-c.Min.X)*vg.Length(value/f.most)
}

func (f *figure) drawGrid(c draw.Canvas) {
	step := f.step(f.most)
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for i := 0; float64(i)*step <= f.most*(1+1e-9); i++ {
		x := f.x(c, float64(i)*step)
		grid := draw.LineStyle{Color: figstyle.GridInk, Width: vg.Points(0.7)}
		c.StrokeLine2(grid, x, c.Min.Y+figstyle.LineHeight(labelText)+2, x, c.Max.Y)
		mark := strconv.FormatFloat(float64(i)*step, 'f', decimals, 64)
		figstyle.Write(c, labelText, vg.Point{X: x - labelText.Width(mark)/2, Y: c.Min.Y}, mark)
	}
}

func (f *figure) drawGroup(c draw.Canvas, g group, top vg.Length) {
	middle := top - (f.groupHeight()-groupGap)/2
	corner := vg.Point{
		X: c.Min.X - partGap - labelText.Width(g.label),
		Y: middle - figstyle.LineHeight(labelText)/2,
	}
	figstyle.Write(c, labelText, corner, g.label)
	bar := (f.groupHeight() - groupGap) / vg.Length(len(g.bars))
	for i, r := range g.bars {
		if r == nil {
			continue
		}
		y := top - vg.Length(i)*bar
		value, low, high := shown(r)
		fill(c, barColours[i%len(barColours)], c.Min.X, y-bar+0.5, f.x(c, max(value, 0)), y-0.5)
		whisker := draw.LineStyle{Color: figstyle.Ink, Width: vg.Points(0.8)}
		c.StrokeLine2(whisker, f.x(c, max(low, 0)), y-bar/2, f.x(c, high), y-bar/2)
	}
}

func fill(c draw.Canvas, colour color.Color, x0, y0, x1, y1 vg.Length) {
	c.SetColor(colour)
	box := vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}
	c.Fill(box.Path())
}
