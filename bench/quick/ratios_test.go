package main

import (
	"strings"
	"testing"
)

const output = `goos: linux
BenchmarkLimit/keys=16000000/load=get-2    100   57.5 Mops   1.163 x-floor   0 B/op
BenchmarkLimit/keys=16000000/load=get-2    100   51.5 Mops   1.263 x-floor   0 B/op
BenchmarkLimit/keys=16000000/load=get-2    100   51.5 Mops   1.213 x-floor   0 B/op
PASS
`

func TestReport(t *testing.T) {
	found := ratios{}
	if err := found.read([]byte(output)); err != nil {
		t.Fatal(err)
	}
	now := found.spans()
	const name = "Limit/keys=16000000/load=get x-floor"
	for line, want := range map[string]string{
		name + " 1.10 1.20 1.30": "0 of 1",
		name + " 1.00 1.05 1.10": "worse\n1 of 1",
		name + " 1.40 1.40 1.40": "better\n1 of 1",
		"Other x-floor 1 1 1":    "2 of 2",
		"# a comment":            "new\n1 of 1",
	} {
		before, err := parseAccepted([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := report(&out, before, now); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("accepted %q: want %q in\n%s", line, want, out.String())
		}
	}
}

func TestAcceptedRoundTrip(t *testing.T) {
	want := map[string]span{"A x-floor": {1, 1.25, 1.5}}
	got, err := parseAccepted(formatAccepted("some machine", want, []string{"A x-floor"}))
	if err != nil || got["A x-floor"] != want["A x-floor"] || len(got) != 1 {
		t.Errorf("found %v, %v", got, err)
	}
	if _, err := parseAccepted([]byte("A x-floor 1")); err == nil {
		t.Error("half a line is no error")
	}
}
