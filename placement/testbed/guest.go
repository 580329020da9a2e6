package testbed

import (
	"fmt"
	"sync"

	"dpukv/internal/machine"
)

// ThisGuest says that this machine is a guest of user-mode Linux, as "dpukv sweep --in-guest" starts one, and which kernel it has. "" on others.
var ThisGuest = sync.OnceValue(func() string { return GuestOf(machine.Read()) })

// GuestOf names the user-mode guest that the facts are of; "" for other machines.
func GuestOf(facts machine.Facts) string {
	if facts.CPUModel != "UML" { // arch/um/kernel/um_arch.c writes it into /proc/cpuinfo
		return ""
	}
	return fmt.Sprintf("one user-mode Linux guest (Linux %s)", facts.Kernel)
}
