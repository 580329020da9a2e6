package partition

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

const (
	slotsPerBucket = 7
	bucketBytes    = 64
	// itemsPerBucket is the mean load that an index is sized for. A bucket of seven then overflows
	// for one item in 200 (Poisson), which is the price of a lossy index.
	itemsPerBucket = 3
	// maxSpares is the maximum number of spare buckets per chain. Hashes come from clients, and
	// nobody verifies them. This limit bounds the cost of a key in a deliberately crowded bucket.
	// With honest hashes no bucket of the largest table has more items than a chain holds
	// (TestHonestChains).
	maxSpares = 4
	// itemsPerChain is the capacity of the longest chain.
	itemsPerChain = slotsPerBucket * (1 + maxSpares)
)

// bucket is one cache line of the index.
type bucket struct {
	// version is odd while the owner changes the bucket or anything it leads to. It is a seqlock
	// for readers on other cores (CREW only).
	version uint32
	// next is the number of the spare bucket that continues this one, counted from one. 0 is none
	// (store mode only).
	next  uint32
	slots slots
}

// slots are seven items' tags of 16 bits, then their offsets in the log of 48 bits, packed. Tags
// lie side by side so that one comparison covers four of them. A slot with tag 0 is empty.
type slots [slotsPerBucket]uint64

// tagOf returns the hash's low 16 bits. It never returns tag 0, which marks an empty slot.
func tagOf(hash uint64) uint64 {
	tag := hash & 0xffff
	if tag == 0 {
		return 1
	}
	return tag
}

const (
	eachField  = 0x0001_0001_0001_0001
	fieldHighs = 0x8000_8000_8000_8000
	// offsetsAt is the start of an eight-byte load that has slot 0's offset in its upper 48 bits.
	offsetsAt = 2*slotsPerBucket - 2
	noHigh4   = 0x0000_ffff_ffff_ffff // the fourth field of the second word holds no tag
)

// matches returns the set of slots with this tag: see [slotIn]. There is no branch per slot: the
// matching slot is random, and a misprediction costs more than a look at all seven.
func (s *slots) matches(tag uint64) uint64 {
	all := tag * eachField
	return zeroFields(s[0]^all)>>15 | zeroFields(s[1]^all)&noHigh4>>14
}

// zeroFields sets the high bit of each 16-bit field that is zero.
func zeroFields(w uint64) uint64 {
	const low = ^uint64(fieldHighs)
	return ^((w&low + low) | w | low)
}

// slotIn returns a slot of a set. Slots 0–3 are bits 0, 16, 32, 48 and slots 4–6 bits 1, 17, 33.
// Remove a slot with set &= set - 1.
func slotIn(set uint64) int {
	bit := bits.TrailingZeros64(set)
	return bit>>4&3 + bit&1<<2
}

func (s *slots) tag(i int) uint64 {
	return uint64(*(*uint16)(unsafe.Add(unsafe.Pointer(s), 2*i)))
}

func (s *slots) offset(i int) uint64 {
	return *s.offsetWord(i) >> 16
}

// offsetWord returns an unaligned address: amd64 and arm64 allow that.
func (s *slots) offsetWord(i int) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(s), offsetsAt+6*i))
}

func (s *slots) set(i int, tag, offset uint64) {
	*(*uint16)(unsafe.Add(unsafe.Pointer(s), 2*i)) = uint16(tag)
	w := s.offsetWord(i)
	*w = *w&0xffff | offset<<16
}

// snapshot copies the slots while their owner may be changing them.
func (s *slots) snapshot() (copied slots) {
	for i := range s {
		copied[i] = atomic.LoadUint64(&s[i])
	}
	return copied
}

// bucketOf maps hash bits 16–47 onto any number of buckets evenly. It multiplies and takes the high
// half, instead of a modulo.
func bucketOf(hash, buckets uint64) uint64 { return uint64(uint32(hash>>16)) * buckets >> 32 }

// home returns the first bucket of a hash's chain.
func (p *Partition) home(hash uint64) *bucket {
	return &p.buckets[bucketOf(hash, uint64(len(p.buckets)))]
}
