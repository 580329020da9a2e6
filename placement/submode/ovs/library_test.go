package ovs

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/transcript"
)

// rows are the table Open_vSwitch: the first is output of Open vSwitch 3.1, shortened. The others
// add the columns that NVIDIA's documentation of OVS-DOCA names.
const (
	debian = `_uuid               : 2c6fd0b3-6a4a-4b3b-9f2f-0d8c4a1f5b11
bridges             : []
dpdk_initialized    : false
dpdk_version        : "DPDK 22.11.4"
other_config        : {}
ovs_version         : "3.1.0"
`
	doca = `dpdk_initialized    : true
doca_initialized    : true
doca_version        : "2.9.0"
other_config        : {doca-init="true", hw-offload="true"}
ovs_version         : "3.2.1"
`
)

func TestState(t *testing.T) {
	dpdk := strings.Replace(debian, ": false", ": true", 1)
	for name, c := range map[string]struct {
		out     string
		library Library
		want    string
	}{
		"kernel":          {debian, Kernel, ""},
		"DPDK":            {dpdk, DPDK, ""},
		"no DPDK":         {debian, DPDK, `without DPDK (dpdk_initialized: "false")`},
		"DOCA":            {doca, DOCA, ""},
		"no DOCA":         {dpdk, DOCA, "without DOCA"},
		"DOCA, not DPDK":  {doca, DPDK, "runs OVS-DOCA (doca_initialized: true), allowed: DPDK"},
		"DOCA, no kernel": {doca, Kernel, "runs OVS-DOCA"},
		"nothing":         {"", Kernel, "found"},
	} {
		step := Switch{}.Runs(c.library)
		err := step.Expect(c.out)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, want %q", name, err, c.want)
		}
	}
}

func TestAsksForDOCA(t *testing.T) {
	for config, want := range map[string]bool{
		`{doca-init="true"}`: true, `{a="b", doca-init=true}`: true,
		`{doca-init="false"}`: false, `{}`: false, `{doca-init-x="true"}`: false,
	} {
		if got := (state{"other_config": config}).asksForDOCA(); got != want {
			t.Errorf("%s: found %t", config, got)
		}
	}
}

func TestVersions(t *testing.T) {
	for out, want := range map[string]string{
		debian: "Open vSwitch 3.1.0", doca: "Open vSwitch 3.2.1, DOCA 2.9.0",
		strings.Replace(debian, ": false", ": true", 1): "Open vSwitch 3.1.0, DPDK 22.11.4",
	} {
		row, err := parseState(out)
		if got := row.versions(); err != nil || got != want {
			t.Errorf("found %q, %v, want %q", got, err, want)
		}
	}
}

// FuzzState: a node may print anything; reading it must not panic.
func FuzzState(f *testing.F) {
	f.Add(debian)
	f.Add(doca)
	f.Fuzz(func(_ *testing.T, out string) {
		step := Switch{}.WithoutDOCA()
		_ = step.Expect(out)
	})
}

// TestStateTranscript reads the state of a release that runs OVS-DOCA.
func TestStateTranscript(t *testing.T) {
	row := must.Get(parseState(transcript.Read(t, "../testdata/transcripts/doca-3.5/list-open-vswitch.txt")))(t)
	if !row.asksForDOCA() || row.runs(DOCA) != nil || row.runs(Kernel) == nil {
		t.Errorf("found %v", row)
	}
	if got := row.versions(); got != "Open vSwitch 3.5.0052, DOCA 3.5.0052, DPDK MLNX_DPDK 25.11.0.0.2" {
		t.Errorf("found %q", got)
	}
}
