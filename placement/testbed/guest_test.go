package testbed

import (
	"testing"

	"dpukv/internal/machine"
)

func TestGuestOf(t *testing.T) {
	if got := GuestOf(machine.Facts{
		CPUModel: "UML",
		Kernel:   "6.1.192",
	}); got != "one user-mode Linux guest (Linux 6.1.192)" {
		t.Error(got)
	}
	if got := GuestOf(machine.Facts{CPUModel: "AMD EPYC", Kernel: "6.1.192"}); got != "" {
		t.Error(got)
	}
}
