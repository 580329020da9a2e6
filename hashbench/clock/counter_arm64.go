package clock

const counterName = "CNTVCT_EL0"

func readCounter() uint64
func counterFrequency() uint64
func addChain(rounds int) uint64
