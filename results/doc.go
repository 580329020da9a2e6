// Package results holds what was measured and turns it into what can be read: a point
// becomes a line in a run folder, points become curves, curves become figures and tables. It knows
// nothing of how a point was produced, and nothing in it changes a point.
//
//	Point ──Writer.Append──▶ run folder ──Run.Points──▶ []Point ──Charts──▶ []Chart ──▶ figures
//	  │                                                    └──────WriteTable──▶ table
//	  └──WritePoint──▶ summary of one point
//
// # Points
//
// A [Point] is one measurement: what was asked, what was used, what was counted, and the
// doubts about it. [Validate] says what in it contradicts itself. Its ID is made, by whoever asked
// for it, from what was asked and the number of the repeat, so that the same
// question has the same ID in every run of the sweep. It is how a sweep that continues knows what it
// has, and it names a file, so it holds only visible ASCII without a slash. Apart from
// their repeat and seed, two points that were asked for alike are repeats of each other.
//
// # Run folders
//
// [Create] makes a run folder, [Resume] continues one, [Open] reads one, also while it is being written:
//
//	sweep.yaml     as it was given; written last, it makes the folder a run folder
//	testbed.yaml   as it was given, if it was
//	env.jsonl      one line a node, each time that a sweep starts or continues
//	points.jsonl   one line a point
//	hist/ID.hlog   the point's latencies: HdrHistogram log, V2, nanoseconds, tags
//	               "intended" and "actual", a line an interval; mergeable
//	figures/       what can be drawn again
//	report.html    so can this (package report)
//
// The rules of the two .jsonl files:
//
//   - A line is one JSON object and ends with a newline. It is on the disk before the next
//     point is measured, and no line is ever rewritten.
//   - A point's histograms are on the disk before its line is.
//   - Of several lines with one ID the last that is ok counts. A point that failed is not done: a
//     sweep that continues measures it again.
//   - A last line that is cut off, by a crash or a full disk, is removed before the
//     next one is written; if only its newline is missing, it gets one. A line that can't be read is
//     named by its number, and the others are used.
//   - One sweep writes a folder at a time: it holds a lock (flock) on points.jsonl. If somebody else
//     changes a file in between, the next point is refused ([ErrChanged]).
//   - A point says how long its histogram log is, and its checksum. [Run.Points] names logs of other
//     lengths, [Run.Histograms] refuses those of other contents.
//
// Whoever continues a run compares its sweep with [Run.Sweep] first: points of two
// different sweeps don't belong in one folder.
//
// Of env.jsonl only the fields cpus and cpu_model are looked at here: they stand below the figures.
//
// # Curves
//
// A dimension is anything asked or used that can vary: store, placement, batch and so on. [Charts] groups
// points by them, so that what is compared differs only in what the label says. One
// chart holds a store's points with one GET share (and one key and value size); an
// overview holds those with all GET shares. Within a chart, a line is all points
// that differ only in their repeat and along the axis, which is the offered rate if several
// were offered, else the client threads, else what else was swept; a mark is one place
// on it, with the median of its repeats and their range. Points that failed are counted and named
// beside the lines, never drawn.
//
// # Figures and tables
//
// [Run.DrawFigures] draws each chart for each [Measure] as SVG, PNG and CSV: latency over
// throughput, both from zero, with the conditions and the number of doubtful points below. A ring is a line's
// knee ([Line.Knee]): the greatest throughput over latency, the last mark before latency grows faster than throughput. [WriteTable] and
// [WritePoint] write for a terminal. [Point.Bottleneck] names the side that was full. Everything a reader needs in order not to believe a figure
// stands beside it.
package results
