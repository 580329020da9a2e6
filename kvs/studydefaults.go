package kvs

// NoHash is the hash of a store whose server uses none: its clients hash nothing.
const NoHash = "none"

// StudyDefaults are the settings that a study measured a store with. They are the defaults for open
// settings.
type StudyDefaults struct {
	KeyBytes, ValueBytes int
	Batch                int
	Hash                 string // client-side key hash: a name of package hashbench, or [NoHash]
	Access               string
}
