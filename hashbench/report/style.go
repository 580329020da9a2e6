package report

import (
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"

	"dpukv/internal/figstyle"
)

const (
	partGap   = vg.Length(6)
	barHeight = vg.Length(6)
	groupGap  = vg.Length(5)
)

var (
	labelText  = figstyle.Sans(8.5, xfont.WeightNormal, figstyle.Ink)
	barColours = []color.Color{
		figstyle.Blue, figstyle.Orange, figstyle.Vermilion, figstyle.Green, figstyle.Purple,
		figstyle.Sky,
	}
)
