//go:build linux && (amd64 || arm64) && !static

package clib

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func TestOpenNamesWhatIsMissing(t *testing.T) {
	if _, err := Open("libnone.so.9"); err == nil || !strings.Contains(err.Error(), "libnone.so.9") {
		t.Errorf("found %v, want the library's name", err)
	}
	c := must.Get(Open("libc.so.6"))(t)
	if _, err := c.Symbol("no_such_function"); err == nil || !strings.Contains(err.Error(), "no_such_function") {
		t.Errorf("found %v, want the function's name", err)
	}
}
