package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/hashbench"
	"dpukv/hashbench/result"
	"dpukv/hashbench/result/resulttest"
	"dpukv/internal/machine"
	"dpukv/internal/test/must"
	"dpukv/results/claims"
)

// hashFile writes a report with made-up times, times a factor, of a machine with this CPU.
func hashFile(t *testing.T, name, model string, cpus int, factor float64) string {
	t.Helper()
	r := resulttest.Report(factor, model)
	r.Machine.CPUs = cpus
	for i := range r.Results {
		x := &r.Results[i]
		x.Ns.Low, x.Ns.High = x.Ns.Median*0.999, x.Ns.Median*1.001
		x.RoundsNs = append(x.RoundsNs, x.RoundsNs...)
	}
	data := must.Get(json.Marshal(r))(t)
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, data, 0o600))
	return path
}

// claimsOf are the outcomes of dpukv run claims ARG..., by what they say.
func claimsOf(t *testing.T, args ...string) map[string]claims.Outcome {
	t.Helper()
	cmd := newClaimsCommand()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetArgs(append(args, "--json"))
	must.Do(t, cmd.ExecuteContext(t.Context()))
	var list []claims.Outcome
	must.Do(t, json.Unmarshal(out.Bytes(), &list))
	bySays := map[string]claims.Outcome{}
	for _, o := range list {
		bySays[o.Says+" "+strings.Join(o.Generations, " ")] = o
	}
	return bySays
}

// TestClaimsOfHashFiles: files of dpukv hash answer the claims about hash functions alone.
func TestClaimsOfHashFiles(t *testing.T) {
	host := resulttest.Report(0.1, "Xeon")
	host.Machine.Arch = "x86_64"
	if h, err := hashesOf(host); err != nil || h.Machine != claims.Host {
		t.Errorf("found %q, %v", h.Machine, err)
	}
	got := claimsOf(t, hashFile(t, "b.json", "Cortex-A72", 8, 1), hashFile(t, "c.json", "Cortex-A78AE", 16, 1.0/9),
		runFolder(t, "ok"))
	fnv := got["FNV's bandwidth for 256 KiB, BF-3 over BF-2 bf3"]
	if fnv.Verdict != claims.Agrees || fnv.Reports != 2 || *fnv.Measured < 8.99 || *fnv.Measured > 9.01 {
		t.Errorf("FNV: found %+v", fnv)
	}
	city := got["Latency for 16 B, BF-3: lower than on BF-2 by, of the function that gains most bf3"]
	if city.Verdict != claims.Disagrees || *city.Measured < 0.88 || *city.Measured > 0.89 {
		t.Errorf("latency: found %+v", city)
	}
}

func TestStudyMachine(t *testing.T) {
	for _, c := range []struct {
		facts                    machine.Facts
		machine, substitute, err string
	}{
		{machine.Facts{Arch: "x86_64", CPUModel: "Xeon", CPUs: 12}, claims.Host, "", ""},
		{machine.Facts{Arch: "aarch64", CPUModel: "Cortex-A72", CPUs: 16}, "bf1", "", ""},
		{machine.Facts{Arch: "aarch64", CPUModel: "Cortex-A72", CPUs: 8, Product: "BlueField SoC"}, "bf2", "", ""},
		{machine.Facts{Arch: "aarch64", CPUModel: "Cortex-A78AE", CPUs: 16}, "bf3", "", ""},
		{machine.Facts{Arch: "aarch64", CPUModel: "Cortex-A72", CPUs: 16, Product: "a1"}, "bf1", "substitute: a1", ""},
		{machine.Facts{Arch: "x86_64", CPUModel: "Xeon", Emulator: "x"}, claims.Host, "emulated: x", ""},
		{machine.Facts{Arch: "aarch64", CPUModel: "Cortex-A72", CPUs: 4}, "", "", "found 4 x Cortex-A72, allowed:"},
		{machine.Facts{Arch: "aarch64", CPUModel: "Neoverse-N1", CPUs: 8}, "", "", "found 8 x Neoverse-N1, allowed:"},
	} {
		h, err := hashesOf(&result.Report{Machine: c.facts})
		if how := c.facts.Emulator; how != "" && !strings.Contains(h.CPU, "an emulator ("+how+")") {
			t.Errorf("%+v: found the CPU %q", c.facts, h.CPU)
		}
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%+v: found %v, want %s", c.facts, err, c.err)
		case c.err == "" && (err != nil || h.Machine != c.machine || h.Substitute != c.substitute):
			t.Errorf("%+v: found %q, %q, %v", c.facts, h.Machine, h.Substitute, err)
		}
	}
}

// TestClaimsNameHashFunctions: a function of another name would be one that no report has.
func TestClaimsNameHashFunctions(t *testing.T) {
	books := must.Get(claims.Load())(t)
	named := map[string]bool{}
	for _, finding := range books[0].Findings { // the study's
		for _, c := range finding.Claims {
			for _, name := range c.A.Functions {
				named[name] = true
			}
		}
	}
	for _, f := range hashbench.All() {
		delete(named, f.Name)
	}
	if len(named) > 0 {
		t.Errorf("found functions that are not registered: %v", named)
	}
}
