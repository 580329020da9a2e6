// Package stores is the table of all stores that dpukv measures.
//
// A store is a package with a [kvs.Store] and one line in the table. Everything else derives from
// it: the subcommands of "dpukv serve", the flags of "dpukv load", the values of sweep files, the
// checks before a sweep, what a node starts and dials, and the titles in tables and figures.
package stores
