package testbed

import (
	"fmt"
	"sync"

	"dpukv/internal/machine"
)

// ThisGuest returns the kernel of this machine if it is a guest of user-mode Linux, as "dpukv sweep
// --in-guest" starts one. It returns "" on other machines.
var ThisGuest = sync.OnceValue(func() string { return GuestOf(machine.Read()) })

// GuestOf returns the kernel of the user-mode guest that the facts describe; "" for other machines.
func GuestOf(facts machine.Facts) string {
	if facts.CPUModel != "UML" { // arch/um/kernel/um_arch.c writes it into /proc/cpuinfo
		return ""
	}
	return fmt.Sprintf("one user-mode Linux guest (Linux %s)", facts.Kernel)
}
