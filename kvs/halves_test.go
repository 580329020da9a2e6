package kvs

import "testing"

// TestEngineThreads checks that nothing but a multiple is taken, and that 0 stands for as many.
func TestEngineThreads(t *testing.T) {
	for _, c := range []struct{ asked, ofStore, want int }{
		{0, 3, 3}, {3, 3, 3}, {6, 3, 6}, // taken
		{1, 3, 0}, {4, 3, 0}, {-1, 1, 0}, {-3, 3, 0}, {2, 0, 0},
	} {
		got, err := EngineThreads(c.asked, c.ofStore)
		if got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%d for %d: found %d, %v; want %d", c.asked, c.ofStore, got, err, c.want)
		}
	}
}
