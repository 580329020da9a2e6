package provider

import (
	"testing"

	"dpukv/verbs/ibverbs"
	"dpukv/verbs/verbstest"
)

func TestAvailable(t *testing.T) {
	found := Available(verbstest.Addr(0))
	if len(found) != 3 {
		t.Fatalf("found %+v, want three providers", found)
	}
	nic, software, memory := found[0], found[1], found[2]
	if nic.Provider != "ibverbs" || (nic.Error == "") != (ibverbs.Probe() == nil) ||
		(len(nic.Devices) > 0) != (nic.Error == "") {
		t.Errorf("found %+v, and Probe says %v", nic, ibverbs.Probe())
	}
	if software.Provider != "softroce" || software.Error != "" || memory.Provider != "shm" || memory.Error != "" {
		t.Errorf("found %+v, %+v, want both to work", software, memory)
	}
	if got := Available("a-name")[1]; got.Error == "" {
		t.Error("softroce works on an address that is none")
	}
}
