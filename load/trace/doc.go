// Package trace reads traces of key-value operations, and says what is in them.
//
// # The compact form
//
// A [Writer] makes it and a [File] maps it. It has a header of 4096 bytes and a record of 24 bytes
// for each operation, in the order of time. All numbers are little-endian:
//
//	 0            8         12             16        24          32
//	+------------+---------+--------------+---------+-----------+------------- - -
//	| "dpukvtrc" | version | summary size | records | their sum | summary, JSON …
//	+------------+---------+--------------+---------+-----------+------------- - -
//
// The last 8 bytes of the header are the sum of those before. Sums are XXH64. A record has three
// words, each from its lowest bit on:
//
//	time in ns: 64 | key: 40, key bytes: 8, zero: 16 | TTL in ms: 32, value bytes: 24, op: 8
//
// The operation is never 0 and is the record's last byte. So a record that a cut-off file lost, in
// part or as a whole, is no record: the kernel gives zeros for what is missing of a page.
//
// A file that shrinks while it is mapped makes the kernel send SIGBUS. A [Cursor] turns it into an
// error. It guards a block of records at a time, so that a record costs nothing for it.
//
// # Keys
//
// A key is a number, in the order of first appearance. Its size is that of its first appearance. A
// key too short for its number is lengthened, since load.FillKey makes keys of the numbers.
package trace
