package subject

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// counted is a subject that keeps its place.
func counted(at *int, fails error) Subject {
	return Subject{Name: "a", Kind: Core, Batch: 8, Start: func(testing.TB, bool) *Running {
		return &Running{Do: func(n int) error {
			*at += n
			_ = Loop(1000*n, 1)
			return fails
		}}
	}}
}

// TestServe: a judge has the list, then slices that go on, until it closes its end.
func TestServe(t *testing.T) {
	at := 0
	all := []Subject{counted(&at, nil)}
	var out strings.Builder
	must.Do(t, serve(t, List, all, strings.NewReader(""), &out))
	var hello Hello
	must.Do(t, json.Unmarshal([]byte(out.String()), &hello))
	must.Do(t, hello.Check())
	if f := hello.Subjects[0]; f.Name != "a" || f.Batch != 8 || len(f.Figures) != 1 {
		t.Errorf("found the facts %+v", f)
	}
	out.Reset()
	must.Do(t, serve(t, "a", all, strings.NewReader(`{"warm":8,"ops":16}{"ops":32}`), &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || at != 8+16+32 {
		t.Fatalf("found %d operations and the lines %q", at, lines)
	}
	for _, line := range lines[1:] {
		var a Answer
		must.Do(t, json.Unmarshal([]byte(line), &a))
		if a.Error != "" || len(a.Ns) != 1 || a.Ns[0] <= 0 || a.WallNs <= 0 {
			t.Errorf("found the answer %+v", a)
		}
	}
}

func TestServeFails(t *testing.T) {
	at := 0
	all := []Subject{counted(&at, errors.New("it broke"))}
	for name, want := range map[string]string{"a": "it broke", "b": `no subject \"b\"`} {
		var out strings.Builder
		must.Do(t, serve(t, name, all, strings.NewReader(`{"ops":8}`), &out))
		must.Contain(t, out.String(), want)
	}
	must.Fail(t, serve(t, "a", all, strings.NewReader("no command"), &strings.Builder{}), "invalid")
	must.Fail(t, (&Hello{Version: Version + 1}).Check(), "version 3 of the judge's protocol, allowed: 2")
	must.Fail(t, (&Hello{Version: Version, Error: "x"}).Check(), "the child says: x")
}

// TestSubjects: without a judge, each subject is tried.
func TestSubjects(t *testing.T) {
	at := 0
	Test(t, counted(&at, nil))
	if at != 3*17*8 {
		t.Errorf("found %d operations", at)
	}
}
