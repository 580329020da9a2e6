// Package bytesize reads and writes numbers of bytes as people do: 256MiB.
package bytesize
