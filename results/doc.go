// Package results defines a measured point and sorts points into curves. It does not know how a
// point was produced, and it never changes one.
//
//	Point ──runfolder──▶ run folder ──runfolder──▶ []Point ──Charts──▶ []Chart ──figure──▶ figures
//	                                                  └─────────table──────────▶ tables
//
// Package runfolder keeps points in a folder, figure draws them, table writes them for a terminal,
// and report makes a page of them. This package imports none of those.
//
// # Points
//
// A [Point] is one measurement: the request, the configuration in use, the counts, and the warnings
// about it. [Validate] returns its contradictions.
//
// The caller makes a point's ID from the request and the number of the repeat. The same request has
// the same ID in every run of the sweep. So a resumed sweep recognizes finished points. The
// ID is a file name: it holds only visible ASCII without a slash ([CheckID]).
//
// Two points with the same request on the same machines are repeats of each other. Only their
// repeat and seed differ.
//
// # Histograms
//
// [NewHistogram] gives all latency histograms the same range and precision, so that any two can be
// merged. [EncodeHlog] writes a point's intervals as an HdrHistogram log; [DecodeHlog] reads it.
//
// # Metrics
//
// A [Metric] is one figure of a point: its name, its unit, which direction is better, and which
// readers have it. [Metrics] has a row for each, and no reader has a list of its own.
//
// # Curves
//
// A [Dimension] is any property of the request or the configuration that can vary: store,
// placement, batch and so on. [Charts] groups points by dimensions. The lines of a chart differ
// only in what their labels say. One chart holds a store's points with one GET share (and one key
// and value size); an overview holds those with all GET shares.
//
// A line of a chart joins all points that differ only in their repeat and along the axis. The axis
// is the offered rate if it varies, else the number of client threads, else another dimension that
// varies. A mark is one place on the axis, with the median of its repeats and their range. Failed
// points are named beside the lines, never on them.
//
// [Line.Knee] is the mark of the greatest throughput over latency: the last one before latency
// grows faster than throughput. It needs a mark on either side. [Line.Within] is the highest
// throughput before the line breaks a [Bound] for the first time.
// [Point.Bottleneck] names the saturated side.
package results
