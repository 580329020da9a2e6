// Package columns lays points out as a table: every field of [results.Point] is a column, under the name it has
// in points.jsonl, so that a field that is added to a point is in every export and report without
// further work.
//
//	latency of the actual send     actual_latency_p50_ns …
//	a list or a nested object      its JSON, as text
//
// [All] reads the columns from the Go type, in the order of its fields. Each has a [Kind], which says of what Go type its values are: CSV prints
// them, Parquet has a column type for each, the report sends them to the page.
package columns
