package reference

import "testing"

func TestDiff(t *testing.T) {
	for _, test := range [][3]string{
		{"a\nb\nc", "a\nb\nc", ""},
		{"a\nb\nc", "a\nx\nc", "-b\n+x"},
		{"a\nc", "a\nb\nc", "+b"},
		{"a\nb\nc", "a\nc", "-b"},
		{"a\nb", "b\na", "-a\n+a"},
		{"", "a", "-\n+a"},
	} {
		if got := Diff(test[0], test[1]); got != test[2] {
			t.Errorf("Diff(%q, %q) is %q, want %q", test[0], test[1], got, test[2])
		}
	}
}
