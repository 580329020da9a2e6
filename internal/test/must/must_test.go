package must

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
)

// recorder notes what it is told, and goes on.
type recorder struct {
	testing.TB
	told []any
	ends []func()
}

func (r *recorder) Helper()           {}
func (r *recorder) Fatal(args ...any) { r.told = append(r.told, args...) }
func (r *recorder) Error(args ...any) { r.told = append(r.told, args...) }
func (r *recorder) Errorf(format string, args ...any) {
	r.told = append(r.told, fmt.Sprintf(format, args...))
}
func (r *recorder) Cleanup(end func()) { r.ends = append(r.ends, end) }

type closer struct{ err error }

func (c closer) Close() error { return c.err }

// TestErrorsEndTests checks that an error of a call, or of a close, is told, and no other.
func TestErrorsEndTests(t *testing.T) {
	for want, run := range map[error]func(testing.TB){
		nil:      func(t testing.TB) { Get(1, nil)(t); Keep(closer{net.ErrClosed}, nil)(t) },
		io.EOF:   func(t testing.TB) { Get(1, io.EOF)(t) },
		errClose: func(t testing.TB) { Keep(closer{errClose}, nil)(t) },
	} {
		r := &recorder{TB: t}
		run(r)
		for _, end := range r.ends {
			end()
		}
		if want == nil && len(r.told) > 0 || want != nil && (len(r.told) != 1 || r.told[0] != want) {
			t.Errorf("told %v, want %v", r.told, want)
		}
	}
}

var errClose = errors.New("it does not close")

// TestTextsAreCompared checks that an error or a text without what is wanted is told, and no other.
func TestTextsAreCompared(t *testing.T) {
	for told, run := range map[int]func(testing.TB){
		0: func(t testing.TB) { Fail(t, nil, ""); Fail(t, io.EOF, "EO"); Contain(t, "a b", "a", "b") },
		4: func(t testing.TB) {
			Fail(t, nil, "EOF")
			Fail(t, io.EOF, "")
			Fail(t, io.EOF, "end")
			Contain(t, "a b", "a", "c")
		},
	} {
		r := &recorder{TB: t}
		if run(r); len(r.told) != told {
			t.Errorf("told %q, want %d errors", r.told, told)
		}
	}
}
