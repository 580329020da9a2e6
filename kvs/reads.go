package kvs

// These say where the values are of a store whose clients read items.
const (
	InlineYes = "yes" // in the items, if they fit
	InlineNo  = "no"  // behind a pointer
)

// MinNeighbourhood and MaxNeighbourhood bound the places of a key in such a store.
const (
	MinNeighbourhood = 2
	MaxNeighbourhood = 32
)

// These are how a client knows that the parts of an item belong together.
const (
	ByChecksum = "checksum"
	Unchecked  = "none" // it does not: an instrument that shows the price of the check
)

// These answer READs at a server.
const (
	ByNobody   = "nobody"   // the client copies the memory itself
	ByNIC      = "NIC"      // without a CPU
	ByKernel   = "kernel"   // software: on the server's CPUs
	BySoftware = "software" // the threads of the server
)

// ReadFacts describe a store whose clients read items by themselves.
type ReadFacts struct {
	Responder string `json:"responder"` // who answers READs at the server
}

// ReadTraffic counts GETs of a session that reads items by itself.
type ReadTraffic struct {
	Gets    uint64 // answered by READs alone
	Asked   uint64 // asked of the server, after a READ
	Reads   uint64 // all READs
	Bytes   uint64 // of all READs
	Retries uint64 // READs again, as something was written meanwhile
	// CheckedNs is the time for checking what READs brought, of CheckedGets of them.
	CheckedNs, CheckedGets uint64
}

// ReadStats are operations that a client has done without the server. They are no part of what the
// server counts.
type ReadStats struct {
	Ops  uint64 `json:"ops"`
	Gets uint64 `json:"gets"`
	Hits uint64 `json:"hits"`
}
