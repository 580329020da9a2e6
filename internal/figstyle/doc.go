// Package figstyle is the style of all figures: sizes, inks, fonts and lines of text. With it,
// figures of a run (package results/figure) and of hash functions (package hashbench/report) can
// stand on one page.
//
// Lengths are vg.Length, in points of 1/72 inch. A figure is [Width] wide, like a page's text.
// Pixel formats have [DPI] dots an inch.
//
// Lines have the colours of Okabe and Ito, which colour-blind readers can tell apart. A figure adds
// a second difference, such as a marker, for prints in grey. The font comes with the plot library:
// a figure looks the same on every machine, byte by byte.
package figstyle
