package shm

import (
	"sync/atomic"
	"unsafe"
)

// These are the arena's parts: see doc.go.
const (
	magic         = 0x6d68_7376_6b75_7064 // "dpukvshm"
	layoutVersion = 2

	countersAt = 4096
	regionsAt  = 8192
	queuesAt   = regionsAt + tableEntries*unsafe.Sizeof(regionEntry{})
	heapAt     = queuesAt + tableEntries*unsafe.Sizeof(queueEntry{})

	tableEntries = 4096
	indexBits    = 12
	indexMask    = tableEntries - 1
)

// header is the start of the arena. All fields but closed are written before anyone receives the
// handle.
type header struct {
	magic   uint64
	version uint64
	id      [16]byte
	base    uint64 // address of the owner's mapping
	size    uint64
	closed  atomic.Uint32
}

// regionEntry describes a memory region. Its key is stored last. It is 0 if there is no region.
type regionEntry struct {
	key    atomic.Uint32 // low bits: the entry's index; high bits change with each use
	access atomic.Uint32
	start  atomic.Uint64 // in the arena
	length atomic.Uint64
	pd     atomic.Uint32 // its protection domain
	_      uint32
}

// queueEntry describes a queue pair. It is one cache line. Its number is stored last. It is 0 if
// there is no queue pair.
type queueEntry struct {
	number  atomic.Uint32 // 24 bits; low bits: the entry's index
	kind    atomic.Uint32 // a verbs.QPType
	qkey    atomic.Uint32
	peer    atomic.Uint32 // UC, RC: number of the only queue pair that may reach it; 0: none yet
	peerTag atomic.Uint64 // tag of the peer's device
	ring    atomic.Uint64 // offset of its tracks in the arena; 0: no buffer was posted yet
	units   atomic.Uint32 // per track: a power of two
	tracks  atomic.Uint32
	used    atomic.Uint32 // tracks that ever had an owner; the receiver looks only at these
	pd      atomic.Uint32 // its protection domain
	_       [2]uint64
}

// trackHeader is the start of a track: the sender's cache line, then the receiver's.
type trackHeader struct {
	owner atomic.Uint64 // tag of the sender's device; 0: free
	pid   atomic.Uint32 // of the sender; 0: a sender is just taking the track
	fd    atomic.Uint32 // of its arena
	queue atomic.Uint32 // its queue pair
	_     [44]byte
	head  atomic.Uint64 // units that the receiver has consumed
	_     [56]byte
}

const (
	unitBytes = 64
	lineBytes = 64
	// maxPrefetch is a number of lines. Behind them the copy itself triggers the processor's
	// prefetcher.
	maxPrefetch = 4
	// maxReadPrefetch lines of a READ, readAhead READs before its turn: together about as many
	// lines as a core can wait for.
	maxReadPrefetch = 8
	readAhead       = 4
	// touchAhead is how many messages a receiver touches before it takes them.
	touchAhead     = 16
	trackHeadBytes = unsafe.Sizeof(trackHeader{})
	firstPayload   = 16 // offset of the payload in a message's first unit
	otherPayload   = 8  // and in the others
	firstRoom      = unitBytes - firstPayload
	otherRoom      = unitBytes - otherPayload
	minUnits       = 128 // more than the longest datagram
	maxUnits       = 1 << 20
	udTracks       = 32
	bytesShift     = 32
	flagsShift     = 16
	lapMask        = 0xffff
	sourceShift    = 32
	maxMessage     = 1 << 30
	messageFlags   = flagPresent | flagImm | flagWrite
	flagPresent    = 1 // always set: a first word is never 0
	flagImm        = 2
	flagWrite      = 4 // the payload was written elsewhere; this is only the notice
)

// unitsFor returns the length of a message in units.
func unitsFor(payload int) uint64 {
	if payload <= firstRoom {
		return 1
	}
	return uint64(1 + (payload-firstRoom+otherRoom-1)/otherRoom)
}

// counter identifies a counter in the arena.
type counter int

const (
	badLKey counter = iota
	badRKey
	badBounds
	badAccess
	badQPN
	badQKey
	badPeer
	badMessage
	noTrack
	trackFull
	noReceive
	receiveTooSmall
	cqOverrun
	numCounters
)

var counterNames = [numCounters]string{
	"bad_lkey", "bad_rkey", "bad_bounds", "bad_access", "bad_qpn", "bad_qkey", "bad_peer",
	"bad_message",
	// The names of counters stay: other programs read them.
	"no_lane", "lane_full", "no_receive", "receive_too_small", "cq_overrun",
}
