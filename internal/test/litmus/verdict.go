package litmus

import "testing"

// Case is a pattern of a program, and whether Arm lets an outcome happen.
type Case struct {
	program Program
	outcome func(Outcome) bool
	allowed bool
}

// Forbids is a case of threads whose outcome Arm never has.
func Forbids(outcome func(Outcome) bool, threads ...Thread) Case {
	return Case{threads, outcome, false}
}

// Allows is a case of threads whose outcome an Arm machine may have.
func Allows(outcome func(Outcome) bool, threads ...Thread) Case {
	return Case{threads, outcome, true}
}

// Check holds cases against the model, by name. A pattern that is right is worth little without the same one, weakened, that is not.
func Check(t *testing.T, cases map[string]Case) {
	t.Helper()
	for name, c := range cases {
		if got := c.program.Allows(c.outcome); got != c.allowed {
			t.Errorf("%s: Arm allows the outcome: %v, want %v", name, got, c.allowed)
		}
	}
}
