package submode

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/submode/packetfilter"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Documents that BlueField's steps follow. Of each, the beginning was read on 2026-11-22, not the
// whole document.
const (
	virtualSwitch = `NVIDIA, "Virtual Switch on BlueField", DOCA Documentation v2.9.0, ` +
		"https://docs.nvidia.com/doca/archive/2-9-0/Virtual+Switch+on+BlueField"
	// Its contents list OVS-DPDK and testpmd. These sections were not read.
	virtualSwitchBSP = `NVIDIA, "Virtual Switch on BlueField", BlueField BSP 4.8.0, ` +
		"https://docs.nvidia.com/networking/display/bluefieldbsp480/virtual-switch-on-bluefield.pdf"
	ovsDOCA = `NVIDIA, "OVS-DOCA Hardware Acceleration", DOCA Documentation v3.2.1 LTS, ` +
		"https://docs.nvidia.com/doca/sdk/ovs-doca-hardware-acceleration/index.html"
	modes = `NVIDIA, "BlueField Modes of Operation", DOCA Documentation v2.9.2 (2024 LTS U2), ` +
		"https://docs.nvidia.com/doca/archive/2-9-2/BlueField+Modes+of+Operation"
)

// sources are the documents by BlueField's datapath.
var sources = map[string]string{
	"none":               modes,
	"ovs-system":         virtualSwitch,
	"ovs-system-offload": virtualSwitch,
	"ovs-dpdk":           virtualSwitchBSP,
	"ovs-dpdk-offload":   virtualSwitchBSP,
	"testpmd":            virtualSwitchBSP,
	"ovs-doca":           ovsDOCA,
}

// sourced puts the document before a plan of BlueField.
func sourced(t *testing.T, c *Config, plan []byte) []byte {
	t.Helper()
	if c.Target != BlueField {
		return plan
	}
	d := c.Datapath
	if d == "" {
		d = Datapaths(BlueField, c.Submode)[0]
	}
	if sources[d] == "" {
		t.Errorf("found no source for the datapath %s on %s: add it to sources", d, BlueField)
	}
	return append([]byte("# after "+sources[d]+", read in part on 2026-11-22\n"), plan...)
}

// TestPlans compares the exact commands with files that a person has read.
func TestPlans(t *testing.T) {
	for _, target := range []string{Linux, BlueField} {
		for _, name := range Names() {
			for _, d := range Datapaths(target, name) {
				var b bytes.Buffer
				c := Config{Submode: name, Target: target, Datapath: d, CPUs: []int{0, 1, 2}}
				must.Do(t, mustNew(t, c).Plan(&b))
				golden(t, target+"-"+name+"-"+d, sourced(t, &c, b.Bytes()))
			}
		}
	}
}

// TestPlansWithFilter does the same with packet work, for all datapaths that can do it.
func TestPlansWithFilter(t *testing.T) {
	f := must.Get(packetfilter.Parse([]string{"drop-client:192.0.2.1", "drop-key-hash:0-1"}))(t)
	for _, c := range []Config{
		{Submode: SM1, Target: BlueField},
		{Submode: SM2, Target: BlueField},
		{Submode: SM3, Target: BlueField},
		{Submode: SM4, Target: BlueField},
		{Submode: SM5, Target: BlueField},
		{Submode: SM1, Target: Linux, Datapath: "ovs-system"},
		{Submode: SM3, Target: Linux, Datapath: "testpmd"},
		{Submode: SM4, Target: Linux, Datapath: "tcx"},
	} {
		c.Filter, c.CPUs = f, []int{0, 1, 2}
		var b bytes.Buffer
		must.Do(t, mustNew(t, c).Plan(&b))
		golden(t, c.Target+"-"+c.Submode+"-filter", sourced(t, &c, b.Bytes()))
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".plan")
	if *update {
		must.Do(t, os.WriteFile(file, got, 0o600))
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -run TestPlans -update writes it): %v\n%s", file, err, got)
	}
}
