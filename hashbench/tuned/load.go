package tuned

import "encoding/binary"

func u64(s []byte) uint64 { return binary.LittleEndian.Uint64(s) }
func u32(s []byte) uint32 { return binary.LittleEndian.Uint32(s) }

// at64 reads at a constant offset of a block, without a bounds check.
func at64(b *[64]byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i : i+8]) }
