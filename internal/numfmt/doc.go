// Package numfmt writes numbers the way tables, figures and labels show them. It reads and writes
// numbers of bytes in the usual notation: 256MiB.
package numfmt
