// Package report makes one page of a run folder, self-contained: it opens from a file, without a network, in any browser
// of today.
//
//	runfolder.Run ──Read──▶ Model ──Write──▶ report.html
//	                        └────WriteData──▶ the data alone, for a page that is open already (package live)
//
// The page is page/page.html with page/*.css and page/*.js put in, the chart library from uplot/ (its version and licence
// stand there), and the data as JSON. A content security policy in the page forbids it any network but, while it is
// served, its own server.
//
// # Data
//
// The points go into the page by column, not by point: every field of a point is there (package columns), and
// a field that a later version adds is shown without a change here. A column is one of
//
//	{"all": V}                  V for every point
//	{"of": [V…], "at": [i…]}    the i-th of V for each point
//	{"each": [V…]}              one for each point
//
// numbers with seven significant digits. Lines hold the indices of their points, mark by mark. Medians, knees, peaks
// and bounds are computed in the page as package results does it, because what is shown can
// be filtered and its measure chosen; the browser test holds the two against each other.
package report
