package submode

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"dpukv/placement/submode/packetfilter"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestPlans compares the exact commands with files that a person has read.
func TestPlans(t *testing.T) {
	for _, target := range []string{Linux, BlueField} {
		for _, name := range Names() {
			for _, d := range Datapaths(target, name) {
				var b bytes.Buffer
				c := Config{Submode: name, Target: target, Datapath: d, CPUs: []int{0, 1, 2}}
				if err := mustNew(t, c).Plan(&b); err != nil {
					t.Error(err)
				}
				golden(t, target+"-"+name+"-"+d, b.Bytes())
			}
		}
	}
}

// TestPlansWithFilter does the same with packet work, for all datapaths that can do it.
func TestPlansWithFilter(t *testing.T) {
	f, err := packetfilter.Parse([]string{"drop-client:192.0.2.1", "drop-key-hash:0-1"})
	if err != nil {
		t.Fatal(err)
	}
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
		if err := mustNew(t, c).Plan(&b); err != nil {
			t.Error(err)
		}
		golden(t, c.Target+"-"+c.Submode+"-filter", b.Bytes())
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".plan")
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -run TestPlans -update writes it): %v\n%s", file, err, got)
	}
}
