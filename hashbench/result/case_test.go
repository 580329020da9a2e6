package result_test

import (
	"strings"
	"testing"

	"dpukv/hashbench/result"
)

func TestParseLengths(t *testing.T) {
	for text, want := range map[string][2]int{
		"16": {16, 16}, "1": {1, 1}, "256KiB": {256 << 10, 256 << 10}, "1MiB": {1 << 20, 1 << 20}, "1-32": {1, 32},
		" 8 - 1KiB": {8, 1024},
	} {
		lo, hi, err := result.ParseLengths(text)
		if err != nil || lo != want[0] || hi != want[1] {
			t.Errorf("%q: %d to %d, %v", text, lo, hi, err)
		}
	}
	for _, bad := range []string{
		"", "0", "-1", "2MiB", "1048577", "32-1", "8-8", "x", "1-", "16KB",
		"99999999999999999999", "1048576MiB",
	} {
		if _, _, err := result.ParseLengths(bad); err == nil || !strings.Contains(err.Error(), "allowed: 1 to 1MiB") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseLengths(f *testing.F) {
	f.Add("1-32")
	f.Add("256KiB")
	f.Fuzz(func(t *testing.T, text string) {
		lo, hi, err := result.ParseLengths(text)
		if err != nil {
			return
		}
		c := result.Case{Mode: result.Latency, MinBytes: lo, MaxBytes: hi}
		if err := c.Validate(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
