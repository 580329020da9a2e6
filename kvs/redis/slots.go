package redis

import "bytes"

// slots is the number of slots of a cluster (CLUSTER_SLOTS).
const slots = 1 << 14

// slotTable has the number of the node of each slot.
type slotTable [slots]uint16

// node returns the number of the node that has a key.
func (t *slotTable) node(key []byte) int { return int(t[slotOf(key)]) }

// slotOf returns a key's slot, as the cluster specification defines it. Of a key with a hash tag,
// "{TAG}", only the tag counts: random keys may have one too.
func slotOf(key []byte) uint16 {
	if from := bytes.IndexByte(key, '{'); from >= 0 {
		if n := bytes.IndexByte(key[from+1:], '}'); n > 0 {
			key = key[from+1 : from+1+n]
		}
	}
	return crc16(key) % slots
}

// crc16 is CRC-16/XMODEM: polynomial 0x1021, most significant bit first, from 0.
func crc16(text []byte) (crc uint16) {
	for _, b := range text {
		crc = crc<<8 ^ crcTable[byte(crc>>8)^b]
	}
	return crc
}

var crcTable = func() (table [256]uint16) {
	for i := range table {
		crc := uint16(i) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		table[i] = crc
	}
	return table
}()
