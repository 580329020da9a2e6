// Package sweep reads sweep files and makes points of them.
//
// A [Sweep] is a product of axes: each value of an axis is combined with each value of the others.
// Each combination is a [Config]. A [Point] is one measurement of a configuration; it is repeated
// as often as the sweep says. Everything that is done key by key goes through one table: reading,
// writing, comparing, filtering, combining, and the IDs of points.
package sweep
