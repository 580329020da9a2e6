package machines

import (
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/testbeds"
	"dpukv/placement/submode"
	"dpukv/placement/testbed"
)

func TestMachinesThatAreMade(t *testing.T) {
	bed := must.Get(testbed.Parse("t.yaml", []byte(testbeds.FourMachines)))(t)
	if got := LabSpec(&bed, submode.OffPath); len(got.Machines) != 4 || got.Machines[3].Profile != "bf3" ||
		got.Machines[0].Profile != "none" || got.Machines[1].Of != "hostA" {
		t.Errorf("the lab is %+v", got)
	}
	if got, want := bed.EmulatedText(),
		"network namespaces of one machine, hostA unmodelled, dpuA as bf2, hostB unmodelled, dpuB as bf3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := bed.Node("dpuA"); n.Generation != "bf2" {
		t.Errorf("a machine modelled as bf2 is of generation %q", n.Generation)
	}
	local := testbed.Local()
	if local.EmulatedText() != "" || len(LabSpec(&local, submode.OffPath).Machines) != 0 {
		t.Error("this machine is taken for an emulated one")
	}
}
