package main

import (
	"strings"
	"testing"
)

func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		name   string
		writes []string
		want   bool
	}{
		{"passed", []string{"=== RUN   TestX\n", "--- PASS: TestX (0.00s)\nPASS\n"}, false},
		{"failed", []string{"=== RUN   TestX\n--- FAIL: TestX (0.00s)\n"}, true},
		{"with a marker", []string{"\x16--- FAIL: TestX (0.00s)\n"}, true},
		{"in pieces", []string{"PASS\n--- ", "FA", "IL: TestX (0.00s)\n"}, true},
		{"within a line", []string{"got --- FAIL: TestX\n"}, false},
		{"of a subtest", []string{"    --- FAIL: TestX/a (0.00s)\n"}, false},
		{"text of a program", []string{"--- FAILURE\n"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			v := verdicts{to: &out}
			for _, text := range test.writes {
				if n, err := v.Write([]byte(text)); n != len(text) || err != nil {
					t.Fatal(n, err)
				}
			}
			if got := v.failed.Load(); got != test.want {
				t.Errorf("found %v, want %v", got, test.want)
			}
			if got, want := out.String(), strings.Join(test.writes, ""); got != want {
				t.Errorf("found %q, want %q", got, want)
			}
		})
	}
}
