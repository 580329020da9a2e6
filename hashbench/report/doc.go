// Package report shows what was measured of hash functions (package result): a table, a comparison
// of machines, benchstat's text, and figures. It knows nothing of how anything was measured.
//
// In a ratio of two machines the interval goes from the least to the greatest that both intervals
// allow.
package report
