package measure

import (
	"runtime"

	"dpukv/hashbench"
	"dpukv/hashbench/result"
	"dpukv/internal/cpu"
)

// Contender is a hash function that can be timed.
type Contender struct {
	result.Subject
	// Round makes so many calls and returns their CPU time on this thread.
	Round func(in *Input, calls int) (ns int64, err error)
	// Loop measures the loops alone. With nil, nothing is subtracted from latency.
	Loop *Loop
}

// Loop holds a measuring loop's own contenders.
type Loop struct {
	Words int // of the result that the loop waits for or adds up
	// Empty returns at once. The throughput of no function can exceed its own.
	Empty Contender
	// Chains are functions of 4, 8 and 16 dependent multiplications. Extrapolated to none, their
	// latency is the loop's, which is subtracted.
	Chains [3]Contender
}

// chainLengths are the numbers of multiplications of Loop.Chains.
var chainLengths = [3]float64{4, 8, 16}

// Of makes a contender of a function of the registry.
func Of(f hashbench.Func) Contender {
	c := contender(f.Native)
	c.Subject = result.Subject{
		Function: f.Name, Family: f.Family, Bits: f.Bits, Module: f.Module,
		Variant: string(f.Variant),
	}
	c.Loop = &oneWord
	if f.Native.H128 != nil {
		c.Loop = &twoWords
	}
	return c
}

// OfAll makes contenders of several functions.
func OfAll(list []hashbench.Func) []Contender {
	var all []Contender
	for _, f := range list {
		all = append(all, Of(f))
	}
	return all
}

func contender(f hashbench.Native) Contender {
	return Contender{Round: func(in *Input, calls int) (int64, error) {
		start := cpu.ThreadNs()
		sum := call(in.Mode, in, f, calls)
		spent := cpu.ThreadNs() - start
		runtime.KeepAlive(sum) // the compiler must not drop unused hashes
		return spent, nil
	}}
}
