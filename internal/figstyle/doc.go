// Package figstyle is what all figures share, whoever draws them: measures, inks, fonts and lines of text. So figures of
// a run (package results) and of hash functions (package hashbench/report) can stand on one page.
//
// Lengths are vg.Length, in points of 1/72 inch. A figure is [Width] wide, as a page's text is, and [DPI] dots an inch where it has pixels. Lines that
// must be told apart have the colours of Okabe and Ito, which the colour-blind can tell apart; who draws adds a second difference, such as a
// marker, for those who print in grey. The font comes with the plot library: a figure looks the same on every machine, byte by byte.
package figstyle
