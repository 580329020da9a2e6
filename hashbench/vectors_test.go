package hashbench

import "testing"

func TestCheck(t *testing.T) {
	for _, f := range All() {
		if err := f.Check(); err != nil {
			t.Error(err)
		}
	}
}
