package node

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/probe"
	"dpukv/results"
)

// TestLongAnswersAreRefused: a run folder has no room for them.
func TestLongAnswersAreRefused(t *testing.T) {
	long := strings.Repeat("x", maxPointBytes)
	must.Do(t, new(Result).Check())
	for _, m := range []interface{ Check() error }{
		&Result{Point: results.Point{Warnings: results.ReadWarnings(long)}},
		&ProbeResult{Outcome: probe.Outcome{Provider: long}}, &Hello{Source: long},
	} {
		must.Fail(t, m.Check(), ", allowed: at most 524288")
	}
}

// TestReadyIsChecked: a proxy has no gate and no threads; what no part of a server says is refused.
func TestReadyIsChecked(t *testing.T) {
	must.Do(t, (&Ready{Addr: "[::1]:7000", Facts: kvs.Facts{Store: "mica", CPUs: []int{1}}}).Check())
	probe := ProbeReady{Addr: "[::1]:7000", Facts: map[string]string{"kernel": "avx2"}}
	must.Do(t, probe.Check())
	probe.Facts["kernel"] = "avx2\x1b[2J"
	must.Fail(t, probe.Check(), "allowed: printable")
	for want, r := range map[string]Ready{
		"an address of 100000 bytes": {Addr: strings.Repeat("a", 100_000)},
		"an address of 6 bytes":      {Addr: ":1\x1b[2J"},
		"cpus: found number -5":      {Facts: kvs.Facts{CPUs: []int{-5}}},
		"allowed: printable":         {Facts: kvs.Facts{Version: "v1\x1b[2J"}},
	} {
		must.Fail(t, r.Check(), want)
	}
}
