package measure

import (
	"runtime"

	"dpukv/hashbench"
	"dpukv/hashbench/report"
)

// Repeat makes calls of a function in a case, in the loops that are measured, for whoever
// traces instructions instead of timing them.
func Repeat(c report.Case, f hashbench.Native, calls int) {
	runtime.KeepAlive(call(c.Mode, newInput(c, 1), f, calls))
}

// LoopFunction finds what the loops' own cost is known by, for functions of one word: "empty", "chain4", "chain16".
func LoopFunction(name string) (hashbench.Native, bool) {
	f, ok := map[string]hashbench.Native{
		"empty": {H64: address}, "chain4": {H64: chain4}, "chain16": {H64: chain16},
	}[name]
	return f, ok
}
