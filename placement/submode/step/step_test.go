package step

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func saying(out string, err error) Node {
	return Node{"d", func(context.Context, []string) (string, error) { return out, err }}
}

// TestRecord: a setting that was there before needs no undo. One that a program may change goes back
// to what it was, in any case.
func TestRecord(t *testing.T) {
	s := Step{
		Run: []string{"set"}, State: []string{"state"}, Sets: "on",
		Undo: []string{"restore", "=" + AsFound}, Port: "p0",
	}
	for _, c := range []struct {
		state   string
		restore bool
		want    *UndoRecord
	}{
		{"on\n", false, nil},
		{"off\n", false, &UndoRecord{[]string{"restore", "=off"}, "p0", []string{"state"}, "on"}},
		{"on\n", true, &UndoRecord{Run: []string{"restore", "=on"}, Port: "p0"}},
	} {
		s.Restore = c.restore
		u, err := s.Record(t.Context(), saying(c.state, nil))
		if err != nil || !reflect.DeepEqual(u, c.want) {
			t.Errorf("%q: found %+v, %v, want %+v", c.state, u, err, c.want)
		}
	}
}

// TestDo: an error names the node and the purpose, and ends with the advice.
func TestDo(t *testing.T) {
	s := Step{Purpose: "a bridge", Run: []string{"true"}, Expect: Is("up"), Advice: "set it up"}
	must.Do(t, s.Do(t.Context(), saying("up\n", nil)))
	err := s.Do(t.Context(), saying("down\n", nil))
	const want = `node d: a bridge: found "down", allowed: up` + "\nTo do: set it up"
	if err == nil || err.Error() != want {
		t.Errorf("found %v, want %s", err, want)
	}
}

// TestUndoOfWhatVanished: a port that is gone took its settings along.
func TestUndoOfWhatVanished(t *testing.T) {
	u := UndoRecord{Run: []string{"ip", "link"}}
	must.Do(t, u.Do(t.Context(), saying("", errors.New("Cannot find device p0"))))
	err := u.Do(t.Context(), saying("", errors.New("Operation not permitted")))
	if err == nil || !strings.Contains(err.Error(), "not permitted") {
		t.Errorf("found %v, want that it is not permitted", err)
	}
}
