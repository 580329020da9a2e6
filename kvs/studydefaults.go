package kvs

// NoHash is the hash of a store whose server takes none: its clients hash nothing.
const NoHash = "none"

// StudyDefaults are what a study measured a store with: what stands in where nothing else is asked
// for.
type StudyDefaults struct {
	KeyBytes, ValueBytes int
	Batch                int
	Hash                 string // of keys, by the client: a name of package hashbench, or [NoHash]
	Access               string
}
