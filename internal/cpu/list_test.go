package cpu

import (
	"slices"
	"testing"
)

func TestParseList(t *testing.T) {
	for _, test := range []struct {
		text string
		want []int // nil: refused
	}{
		{"0", []int{0}},
		{"0,2", []int{0, 2}},
		{"0-3,8", []int{0, 1, 2, 3, 8}},
		{"1023", []int{1023}},
		{"", nil},
		{"3-1", nil},
		{"a", nil},
		{"-1", nil},
		{"1,", nil},
		{"1024", nil},
		{"0-", nil},
	} {
		got, err := ParseList(test.text)
		if !slices.Equal(got, test.want) && test.want != nil || (err != nil) != (test.want == nil) {
			t.Errorf("ParseList(%q) = %v, %v, want %v", test.text, got, err, test.want)
		}
	}
}

func TestFormatList(t *testing.T) {
	for want, cpus := range map[string][]int{"": nil, "0": {0}, "0-3,8": {8, 3, 2, 1, 0, 0}, "1,3,5-6": {1, 3, 5, 6}} {
		if got := FormatList(cpus); got != want {
			t.Errorf("FormatList(%v) = %q, want %q", cpus, got, want)
		}
	}
}
