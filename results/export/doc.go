// Package export writes points for other tools to read, each format with every field of a point (package columns) or, for
// benchfmt, every dimension and figure.
//
//	csv       a row a point; lists are JSON text; for spreadsheets and pandas
//	parquet   the same with types, lists as JSON, times in microseconds, UTC; for DuckDB, pandas and polars
//	benchfmt  a line a repeat in the Go benchmark format; for benchstat
//
// Points that failed are in csv and parquet, with their status and error, and not in benchfmt, which
// has no place for them. Units are those of the fields' names; benchfmt's are ops/s and ns.
package export
