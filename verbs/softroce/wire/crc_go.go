//go:build !amd64 || purego

package wire

import "hash/crc32"

// update is crc32.Update for the IEEE polynomial.
func update(crc uint32, b []byte) uint32 { return crc32.Update(crc, crc32.IEEETable, b) }
