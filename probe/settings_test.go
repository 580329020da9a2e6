package probe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/field"
)

var kind = Kind{
	Name: "toy",
	Axes: []Axis{
		{Name: "test", Default: []string{"latency"}, Codec: field.Word([]string{"latency", "copy"})},
		{Name: "block_bytes", Default: []string{"1024"}, Codec: field.Whole(1, 1<<30).Texts()},
		{Name: "threads", Default: []string{"1", "2"}, Codec: field.Whole(1, 8).Texts()},
	},
	Uses: func(s Settings, axis string) bool {
		return axis == "test" || (axis == "threads") == (s.Get("test") == "copy")
	},
}

// TestAll: an axis that a value of an earlier axis does not use is left out, without copies.
func TestAll(t *testing.T) {
	got := kind.All(map[string][]string{"test": {"latency", "copy"}})
	want := []Settings{
		"test=latency block_bytes=1024", "test=copy threads=1", "test=copy threads=2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := got[2].Int("threads"); n != 2 || got[0].Get("threads") != "" {
		t.Errorf("got %d and %q", n, got[0].Get("threads"))
	}
	if m := got[0].Map(); fmt.Sprint(m) != "map[block_bytes:1024 test:latency]" {
		t.Errorf("got %v", m)
	}
}

func TestUnknownAxis(t *testing.T) {
	if _, err := kind.Axis("thread"); err == nil || !strings.Contains(err.Error(), `did you mean threads`) {
		t.Errorf("got %v", err)
	}
}
