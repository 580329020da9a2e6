// Package sweep reads sweep files and makes points of them.
//
// A [Sweep] is a product of axes: each value of an axis is combined with each value of the others.
// Each combination is a [Config]. A [Point] is one measurement of a configuration. The sweep says
// how often each configuration is repeated. One table has all keys. Reading, writing, comparing,
// filtering, combining, and the IDs of points go through that table.
package sweep
