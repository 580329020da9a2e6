package testbedcheck

import (
	"strings"
	"testing"
)

// TestOneReasonIsToldOnce: a node that is lost stops all placements on it, and is named once.
func TestOneReasonIsToldOnce(t *testing.T) {
	var r refusals
	for _, placement := range []string{"CH-SH", "CH-SD"} {
		for _, store := range []string{"herd", "mica"} {
			r.add(placement, store, "node b cannot be used")
		}
	}
	r.add("CD-SH", "herd", "node d: no such device")
	var b strings.Builder
	r.write(&b)
	want := "CH-SH, CH-SD with herd, mica cannot run: node b cannot be used\n" +
		"CD-SH with herd cannot run: node d: no such device\n"
	if b.String() != want {
		t.Errorf("found\n%swant\n%s", b.String(), want)
	}
}
