// Package load says what is asked of a load, without how it is driven: [Load], and the table of
// its fields, [Fields]. Its generators make the operations of a [Workload].
//
// # Fields
//
// A field of a load is a struct field of [Load] and a row of the table. The row has the field's
// names, its range, and its value as text. From it derive the key of sweep files, the ID of a
// point, the check that a node used what it was asked for, and the dimension of results. From the
// struct derive the JSON of a point, its columns, and the message to a node.
//
// # Keys and values
//
// Key i is the number i ([FillKey]). A value is a function of its key and a version ([FillValue]).
// So [CheckValue] can check every answer in full, without a record of what was sent.
//
// # Operations
//
// A [Generator] makes the sequence of operations of one thread. The workload and the thread's
// number decide it. Skewed keys follow the Zipf distribution exactly.
package load
