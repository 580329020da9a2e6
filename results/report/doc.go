// Package report makes one page of a run folder. The page is self-contained: it opens from a file,
// without a network, in any browser of today.
//
//	runfolder.Run ──Read──▶ Model ──Write──▶ report.html
//	                          └────WriteData──▶ the data alone, for an open page (package live)
//
// The page is page/page.html with page/*.css, page/*.js, the chart library from uplot/ (with its
// version and licence) and the data as JSON. A content security policy in the page forbids any
// network. While package live serves the page, it may reach its own server.
//
// # Data
//
// The points go into the page by column, not by point. Every field of a point is there (package
// columns), so that a field of a later version needs no change here. A column is one of
//
//	{"all": V}                  V for every point
//	{"of": [V…], "at": [i…]}    the i-th of V for each point
//	{"each": [V…]}              one for each point
//
// with numbers of seven significant digits. Lines hold the indices of their points, mark by mark.
//
// The words at the top of the page, the kinds of warnings and the study's claims are made here, not
// in the page (packages answer and claims). They are about all points, whatever the reader
// filters.
//
// # Probes
//
// The chart library has no part in the figures of probes. Package probechart makes their lines and
// their units, and the page paints them as it paints saved sheets (page/beneath.js). The tables of
// what a curve is made of come as text.
//
// # Figures as files
//
// The page saves its figures by itself. Its painting (page/paint.js) works on any context of a
// canvas, and page/svg.js has such a context that writes SVG. A saved sheet has the colours of the
// light page, its legend, and the marks of emulated and failed points.
//
// The knees of each line come with the data ([results.Line.Knee]), one for each latency. The page
// computes medians, peaks and bounds itself, as package results does: the reader can filter the
// points and choose the latency metric. The browser test compares the two.
package report
