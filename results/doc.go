// Package results defines what a measured point is, and sorts points into curves. It knows nothing
// of how a point was produced, and nothing in it changes a point.
//
//	Point ──runfolder──▶ run folder ──runfolder──▶ []Point ──Charts──▶ []Chart ──figure──▶ figures
//	                                                  └─────────table──────────▶ tables
//
// Package runfolder keeps points in a folder, figure draws them, table writes them for a terminal,
// and report makes a page of them. This package imports none of those.
//
// # Points
//
// A [Point] is one measurement: what was asked, what was used, what was counted, and the warnings
// about it. [Validate] returns its contradictions.
//
// The caller makes a point's ID from what it asked and the number of the repeat. The same question
// has the same ID in every run of the sweep, so that a sweep that continues knows what it has. The
// ID names a file: it holds only visible ASCII without a slash ([CheckID]).
//
// Two points with the same request are repeats of each other. Only their repeat and seed differ.
//
// # Histograms
//
// [NewHistogram] gives all latency histograms the same range and precision, so that any two can be
// merged. [EncodeHlog] writes a point's intervals as an HdrHistogram log; [DecodeHlog] reads it.
//
// # Curves
//
// A [Dimension] is anything asked or used that can vary: store, placement, batch and so on.
// [Charts] groups points by them, so that the lines of a chart differ only in what their labels
// say. One chart holds a store's points with one GET share (and one key and value size); an
// overview holds those with all GET shares.
//
// Within a chart, a line is all points that differ only in their repeat and along the axis. The
// axis is the offered rate if several were offered, else the client threads, else what else was
// swept. A mark is one place on it, with the median of its repeats and their range. Points that
// failed are named beside the lines, never on them.
//
// [Line.Knee] is the mark of the greatest throughput over latency: the last one before latency
// grows faster than throughput. [Line.Within] is the most throughput that keeps a [Bound].
// [Point.Bottleneck] names the side that was full.
package results
