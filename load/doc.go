// Package load describes a load, but not how it is driven: [Load], and the table of its fields,
// [Fields]. Its generators make the operations of a [Workload].
//
// # Fields
//
// A field of a load is a struct field of [Load] and a row of the table. The row has the field's
// names, its range, and its value as text. Sweep-file keys, point IDs, the check of a node's used
// values, and the dimensions of results derive from the row. A point's JSON, its columns, and the
// message to a node derive from the struct.
//
// # Keys and values
//
// Key i is the number i ([FillKey]). A value is a function of its key and a version ([FillValue]).
// So [Values] can check every answer in full, without a record of what was sent. The size of a
// value follows from both too. Otherwise, popular keys would decide the mean size of all SETs. The
// size of a key follows from its number ([Keys]).
//
// # Operations
//
// A [Generator] makes the sequence of operations of one thread. The workload and the thread's
// number decide it. Keys follow their distribution exactly.
package load
