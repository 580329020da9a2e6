package step

import (
	"errors"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// TestFailed: what a command said comes first, and a script not at all.
func TestFailed(t *testing.T) {
	node := Via("d", func(argv []string) ([]string, error) { return argv, nil })
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"cat", "/no/file"}, "cat: /no/file: No such file or directory (cat /no/file: exit status 1)"},
		{Shell("# a secret\necho the cause >&2; exit 7"), "the cause (a script: exit status 7)"},
		{Shell("# a secret\nexit 7"), "a script: exit status 7"},
		{[]string{"cat", "/dev/zero"}, "cat /dev/zero: found more bytes in its output, " +
			"allowed: at most 16777216 bytes"},
	} {
		_, err := node.Run(t.Context(), c.argv)
		if err == nil || err.Error() != c.want {
			t.Errorf("found %v, want %s", err, c.want)
		}
	}
}

// TestUnreached: what a step is for, and its advice, say nothing of a node that is not reached.
func TestUnreached(t *testing.T) {
	s := Step{Purpose: "set it", Run: []string{"set"}, Advice: "install it"}
	err := s.Do(t.Context(), saying("", &Unreached{Why: "there is no host d"}))
	must.Fail(t, err, "node d: there is no host d")
	if strings.Contains(err.Error(), "install") {
		t.Errorf("found %v", err)
	}
	must.Fail(t, s.Do(t.Context(), saying("", errors.New("no"))), "node d: set it: no\nTo do: install it")
}
