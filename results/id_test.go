package results_test

import (
	"strings"
	"testing"

	"dpukv/results"
)

func TestCheckID(t *testing.T) {
	for _, id := range []string{"a", "mica-CH-SH-r1", strings.Repeat("x", 200), "a.b"} {
		if err := results.CheckID(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{"", "../up", "a b", ".hidden", "a\nb", "é", strings.Repeat("x", 201)} {
		if err := results.CheckID(id); err == nil {
			t.Errorf("%q is taken for an ID", id)
		}
	}
}
