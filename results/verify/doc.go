// Package verify checks a run folder against itself: what its counts and histograms give, what its
// requests ask for, and what its digests cover.
//
//	lines        every line can be read, and every file is whole
//	chain        the digest of each line follows from the line and from those before it
//	end          the files end as head.json says
//	digest       the run's digest is the one that the caller has from elsewhere
//	request      each point is one that sweep.yaml asks for, with the values asked for
//	schema       each point agrees with itself: see results.Validate
//	order        the points stand in the order of their measurement
//	throughput   each throughput is the operations over the measurement period
//	logs         each histogram log has the length and the checksum in its point
//	latency      each percentile, interval and bound is that of the log
//	nodes        env.jsonl has the machines of each point, and its builds
//	uncovered    the files that no digest covers: figures, the report, and unknown ones
//
// A check is ok, wrong or unknown. Folders of older builds lack digests, and so some of their
// checks are unknown.
//
// A folder cannot prove two things. Who edits it can compute every digest anew: only a digest that
// was noted elsewhere shows that. And no digest shows that a machine told the truth.
package verify
