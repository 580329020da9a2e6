package measure

import (
	"runtime"

	"dpukv/hashbench"
	"dpukv/hashbench/result"
)

// Repeat calls a function in a case, in the loops that Run times. It is for programs that trace
// instructions instead of timing them.
func Repeat(c result.Case, f hashbench.Native, calls int) {
	runtime.KeepAlive(call(c.Mode, newInput(c, 1), f, calls))
}

// LoopFunction finds a function that measures the latency loop's own cost: "chain4", "chain16". Its
// result is one word.
func LoopFunction(name string) (hashbench.Native, bool) {
	f, ok := map[string]hashbench.Native{
		"chain4": {H64: chain4}, "chain16": {H64: chain16},
	}[name]
	return f, ok
}
