// Package report shows measurements of hash functions (package result): a table, a comparison of
// machines, benchstat's text, and figures. It does not know how anything was measured.
//
// The interval of a ratio between two machines spans the least to the greatest ratio that both
// intervals allow.
package report
