// Package machines is the testbed at work. [Machines] makes the emulated machines, joins them as a
// submode wants them, installs the binary on nodes, applies submodes to DPUs, and starts nodes'
// processes. [Machines.Close] takes everything back.
package machines
