package neighbour

// None is the word for no neighbour. In configurations and points, that is the empty kind.
const None = "none"

// The kinds of neighbours.
const (
	CPU    = "cpu"
	Cache  = "cache"
	Memory = "memory"
)

// Kinds returns the names of all kinds.
func Kinds() []string { return []string{CPU, Cache, Memory} }

// LineBytes is the size of a cache line. A neighbour of the kinds [Cache] and [Memory] reads and
// writes one in each operation.
const LineBytes = 64
