package litmus

import "testing"

// Case is a pattern of a program, and whether Arm lets an outcome happen.
type Case struct {
	Program Program
	Outcome func(Outcome) bool
	Allowed bool
}

// Check holds cases against the model, by name. A pattern that is right is worth little without the same one, weakened, that is not.
func Check(t *testing.T, cases map[string]Case) {
	t.Helper()
	for name, c := range cases {
		if got := c.Program.Allows(c.Outcome); got != c.Allowed {
			t.Errorf("%s: Arm allows the outcome: %v, want %v", name, got, c.Allowed)
		}
	}
}
