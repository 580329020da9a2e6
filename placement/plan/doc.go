// Package plan says what a sweep would measure on a testbed: each trial with its nodes and its
// processes. It refuses what cannot be measured, with the place in the file. It is pure: it starts
// nothing, and visits no node.
//
// [Check] goes through all configurations once. What it looks for is in one table, in check.go.
package plan
