package kvs

// Knobs are what a study measured a store with: what stands in where nothing else is asked for.
type Knobs struct {
	KeyBytes, ValueBytes int
	Batch                int
	Hash                 string
	Access               string
}
