package main

import (
	"strings"
	"testing"
)

const testList = `# a comment
test        ^a\.TestTool:
            No package has it.

test?       : the machine is too busy
            Depends on the load,
            and on the machine.
test-arm64  emulator
            It lacks system calls.
`

func mustParse(t *testing.T) []entry {
	t.Helper()
	list, err := parseList(testList)
	if err != nil || len(list) != 3 {
		t.Fatalf("found %v, %v, want three entries", list, err)
	}
	return list
}

func TestJudge(t *testing.T) {
	list := mustParse(t)
	v := judge(list, "test", []string{
		"a.TestTool: a_test.go:5: needs tool",
		"b.TestLoad: b_test.go:7: the machine is too busy",
		"b.TestOther: no emulator",
	})
	if len(v.allowed) != 2 || !strings.HasSuffix(v.allowed[0], "[No package has it.]") ||
		!strings.HasSuffix(v.allowed[1], "[Depends on the load, and on the machine.]") {
		t.Errorf("found %q allowed", v.allowed)
	}
	if len(v.unlisted) != 1 || !strings.HasPrefix(v.unlisted[0], "b.TestOther: ") {
		t.Errorf("found %q not allowed: the entry is another stage's", v.unlisted)
	}
	if len(v.stale) != 0 {
		t.Errorf("found %v stale", v.stale)
	}
}

// TestJudgeStale: an optional entry may match nothing, another may not.
func TestJudgeStale(t *testing.T) {
	v := judge(mustParse(t), "test", nil)
	if len(v.stale) != 1 || v.stale[0].line != 2 {
		t.Errorf("found %v stale, want the entry of line 2", v.stale)
	}
}

func TestParseListRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"  a reason\n":         "line 1: found a reason, want STAGE PATTERN before it",
		"test\n  reason\n":     `line 1: found "test", want STAGE PATTERN`,
		"test ^a\ntest ^b\n x": "line 1: found no reason for ^a",
		"test (\n  reason\n":   "line 1: error parsing regexp",
	} {
		if _, err := parseList(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v, want %q", text, err, want)
		}
	}
}

// TestRepositoryList: the list of this repository can be read.
func TestRepositoryList(t *testing.T) {
	args := []string{"test", writeRun(t, fullRun)}
	if err := (&task{list: "../../../.ci/skips.txt"}).run(t.Output(), args); err != nil {
		t.Error(err)
	}
}
