// Package stores is the table of all stores that dpukv measures.
//
// A store is a package with a [kvs.Store] and one line in the table. Everything else derives from
// it: the subcommands of "dpukv serve", the flags of "dpukv load", the values of sweep files. So do
// the checks before a sweep, the servers and clients of a node, and the titles in tables and
// figures.
package stores
