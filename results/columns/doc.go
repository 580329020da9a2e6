// Package columns lays points out as a table. Every field of [results.Point] is a column, under its
// name in points.jsonl. A new field of a point therefore appears in every export and report without
// further work.
//
//	latency of the actual send     actual_latency_p50_ns …
//	a list or a nested object      its JSON, as text
//
// [All] reads the columns from the Go type, in the order of its fields. The [Kind] of a column
// names the Go type of its values. CSV prints the values, Parquet has a column type for each kind,
// and the report sends them to the page.
package columns
