package clock

const counterName = "TSC"

func readCounter() uint64
func addChain(rounds int) uint64

// counterFrequency is not told by the processor in a form that all have.
func counterFrequency() uint64 { return 0 }
