package litmus

import "testing"

// Case is a pattern of a program, and whether Arm lets an outcome happen.
type Case struct {
	program Program
	outcome func(Outcome) bool
	allowed bool
}

// Forbids is a case whose outcome never happens on Arm.
func Forbids(outcome func(Outcome) bool, threads ...Thread) Case {
	return Case{threads, outcome, false}
}

// Allows is a case whose outcome may happen on an Arm machine.
func Allows(outcome func(Outcome) bool, threads ...Thread) Case {
	return Case{threads, outcome, true}
}

// Check compares cases with the model, by name. A correct pattern is worth little without its
// weakened, incorrect version.
func Check(t *testing.T, cases map[string]Case) {
	t.Helper()
	for name, c := range cases {
		if got := c.program.Allows(c.outcome); got != c.allowed {
			t.Errorf("%s: Arm allows the outcome: %v, want %v", name, got, c.allowed)
		}
	}
}
