// Package merge makes one run folder of several.
//
//	run folders A, B ──Folders──▶ run folder C ──▶ figure, report, compare, claims, export, verify
//
// C has all points of its sources with their histogram logs, in the order of their measurement, and
// the lines of their env.jsonl and starts.jsonl. Each has the number of its source in the field
// source. The sweep and the testbed of source N are in sources/N. C's own sweep.yaml has no sweep:
// its key merged_from lists the sources, with the digest of each. So no sweep continues C.
//
// Points with one ID and the same content, as copies of a folder have, become one point. Points
// with one ID and other content, as two machines have that measured one sweep, are all kept: the
// second one becomes ID~2.
//
// Folders writes C beside its place and then renames it, so that C is whole or not there.
package merge
