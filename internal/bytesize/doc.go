// Package bytesize reads and writes numbers of bytes in the usual notation: 256MiB.
package bytesize
