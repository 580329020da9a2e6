package table

import (
	"bytes"
	"testing"

	"dpukv/results"
)

// TestFullClientsAreNamed: a fold names the clients that tell a warning of the point's validity.
func TestFullClientsAreNamed(t *testing.T) {
	const full = ": client-bound: the client's threads used 97 % of their CPUs' time"
	points := []*results.Point{
		{Warnings: results.ReadWarnings("c4"+full, "c1: the client threads spent 12 % of it spinning")},
		{Warnings: results.ReadWarnings("c2"+full, "c4"+full)},
	}
	var b bytes.Buffer
	WriteWarnings(&b, points)
	want := "\nWarnings (dpukv report shows where):\n  2×  the client's CPU is full (c2, c4)\n" +
		"  1×  c1: the client threads spent 12 % of it spinning\n"
	if b.String() != want {
		t.Errorf("found %q, want %q", b.String(), want)
	}
}
