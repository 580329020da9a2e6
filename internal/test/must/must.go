package must

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// Get returns the value of a call, which must succeed: must.Get(os.Open(name))(t).
func Get[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Do ends the test at an error.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Keep is Get of what the test's end closes, if the test has not closed it.
func Keep[C io.Closer](c C, err error) func(testing.TB) C {
	return func(t testing.TB) C {
		t.Helper()
		Do(t, err)
		t.Cleanup(func() {
			if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
		})
		return c
	}
}

// Fail checks that an error says what is wanted; of "", that there is none. The test goes on.
func Fail(t testing.TB, err error, want string) {
	t.Helper()
	if want == "" && err == nil || want != "" && err != nil && strings.Contains(err.Error(), want) {
		return
	}
	t.Errorf("found the error %v, want %q", err, want)
}

// Contain checks that a text has each of the wanted ones. The test goes on.
func Contain(t testing.TB, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("found\n%s\nwant %q in it", text, want)
		}
	}
}
