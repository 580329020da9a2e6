//go:build !purego

package wire

import (
	"encoding/binary"
	"hash/crc32"

	"golang.org/x/sys/cpu"
)

const (
	blockBytes = 16
	// mostFolded is the length up to which one chain of multiplications is as fast as the four of
	// hash/crc32. That package looks up tables for less than 64 bytes.
	mostFolded = 256
)

var canFold = cpu.X86.HasPCLMULQDQ && cpu.X86.HasSSE41

// fold returns the register of a CRC that starts with 0, behind a block and whole blocks p.
//
//go:noescape
func fold(low, high uint64, p []byte) uint32

// update is crc32.Update for the IEEE polynomial. It is fast for the lengths of short packets.
func update(crc uint32, b []byte) uint32 {
	if !canFold || len(b) < blockBytes || len(b) > mostFolded || len(b)%4 != 0 {
		return crc32.Update(crc, crc32.IEEETable, b)
	}
	// Zeros do not change a register of 0. So they may fill up the first block. The previous CRC
	// is a change of the first word.
	low, high := uint64(^crc^binary.LittleEndian.Uint32(b)), uint64(0)
	n := len(b) % blockBytes
	switch n {
	case 4:
		low, high = 0, low<<32
	case 8:
		low, high = 0, low|uint64(binary.LittleEndian.Uint32(b[4:]))<<32
	case 12:
		low, high = low<<32, binary.LittleEndian.Uint64(b[4:])
	default:
		low |= uint64(binary.LittleEndian.Uint32(b[4:])) << 32
		high, n = binary.LittleEndian.Uint64(b[8:]), blockBytes
	}
	return ^fold(low, high, b[n:])
}
