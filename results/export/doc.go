// Package export writes points for other tools to read.
//
//	csv       a row a point; lists are JSON text; for spreadsheets and pandas
//	parquet   the same with types; lists as JSON, times in microseconds, UTC; for DuckDB and pandas
//	benchfmt  a line a repeat in the Go benchmark format; for benchstat
//
// csv and parquet have every field of a point (package columns); benchfmt has every dimension and
// figure. csv and parquet include failed points, with their status and error. benchfmt has no place
// for them.
//
// Points come from others, too. CSV shows control characters as escapes and begins no cell like a
// formula (foreign.CSV). In benchfmt, a name or a unit has no white space, and a value one line.
// Parquet has all texts as they are.
//
// Units are those of the fields' names; benchfmt's are ops/s and ns.
package export
