// Package machines runs a testbed. [Machines] makes the emulated machines, connects them as a
// submode needs them, installs the binary on nodes, applies submodes to DPUs, and starts nodes'
// processes. [Machines.Close] undoes everything.
package machines
