// Package probe has the kinds of measurements without a store: what every placement is made of.
//
// A [Kind] measures one thing of a machine, or of the path between two: memory, network, RDMA
// verbs, copies by DMA. It is a row of package probes, as a store is a row of package stores.
// Sweeps, run folders, tables, figures and claims know kinds only through this type.
//
//	sweep file ──[Kind.Axes]──▶ [Settings] ──▶ point: node agent ──[Kind.Measure]──▶ [Outcome]
//
// A kind of one machine ([Kind.Pair] is false) runs on each node alone. A kind of a path runs over
// placements and submodes. Its server is up before its client measures.
//
// An axis has a name, its values are words. [Settings] hold one value for each axis, in the axes'
// order, and compare with ==. An axis that a kind gets later needs a value that stands for what was
// measured before ([Axis.Before]): points keep their IDs then.
package probe
