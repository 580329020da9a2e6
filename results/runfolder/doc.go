// Package runfolder keeps what a sweep measured in a folder.
//
//	results.Point ──Writer.Append──▶ run folder ──Run.Points──▶ []results.Point
//
// [Create] makes a run folder, [Resume] continues one, and [Open] reads one, also while a sweep
// writes it:
//
//	sweep.yaml     as it was given; written last, it makes the folder a run folder
//	testbed.yaml   as it was given, if it was
//	starts.jsonl   one line each time that a sweep starts or continues: by whom, with which command
//	env.jsonl      one line a node, each time that a sweep starts or continues
//	points.jsonl   one line a point
//	head.json      where these three files ended when a sweep last closed the folder
//	hist/ID.hlog   the point's latencies: HdrHistogram log, V2, nanoseconds, tags
//	               "intended" and "actual", a line an interval; mergeable
//	figures/       what package figure draws; it can be drawn again
//	report.html    what package report writes; it can be written again
//	sources/N/     of a merged folder ([CreateMerged]): the sweep and the testbed of source N;
//	               sweep.yaml then lists the sources
//
// Somebody else may have made a folder. Links among these names and below them are refused, and all
// files are read and written through package folder, which follows none. [Run.WriteReport] and
// [Run.Figures] are for what other packages write here.
//
// The rules of the .jsonl files:
//
//   - A line is one JSON object and ends with a newline. It is on the disk before the next
//     point is measured, and no line is ever rewritten.
//   - A point's histograms are on the disk before its line is.
//   - Of several lines with one ID the one that is ok counts. A point that failed is not done: a
//     sweep that continues measures it again.
//   - No sweep writes two lines with one ID that are ok. A reader of files that somebody joined
//     names them. It leaves out copies, and keeps other points as ID~2.
//   - A crash or a full disk may cut the last line off. The next writer removes such a line; if
//     only its newline is missing, the writer adds it.
//   - A reader names a line that can't be read by its number, and uses the others.
//   - One sweep writes a folder at a time: it holds a lock (flock) on points.jsonl. If somebody
//     else changes a file in between, the writer refuses the next point ([ErrChanged]).
//   - A line has at most 1 MiB, points.jsonl 1 GiB and a million lines. Its points take at most
//     2 GiB of memory. A writer refuses a longer line, and a reader leaves it out. Beyond the
//     file's bounds a folder is refused.
//   - A point holds the length and the checksum of its histogram log. [Run.Points] names logs of
//     other lengths, [Run.Histograms] refuses those of other contents.
//
// The lines of a .jsonl file are chained. The last field of a line, chain, is a digest of the
// line's other bytes and of the digest before it:
//
//	chain = first 16 bytes of SHA-256(N:before N:line), N: the length of what follows, in bytes
//
// The digest before the first line covers the file's name, sweep.yaml and testbed.yaml. The digest
// of a run ([Run.Digest]) covers the last digests of the three files. So each edit of a line, of
// the order, of the sweep or of the testbed changes it. Lines of older builds have no chain: the
// next line that has one covers them.
//
// A chain shows an edit only to those who know the digest from elsewhere. Anybody can compute the
// chain of an edited folder anew.
//
// A caller that continues a run compares its sweep with [Run.Sweep] first: points of two
// different sweeps don't belong in one folder.
//
// Of env.jsonl this package reads only the fields cpus and cpu_model: [Run.Machines].
package runfolder
