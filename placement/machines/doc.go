// Package machines runs a testbed. [Machines] makes the emulated machines, connects them as a
// submode needs them, installs the binary on nodes, applies submodes to DPUs, and starts nodes'
// processes. [Machines.Close] undoes everything.
//
// [Machines.Cards] reads the modes of the BlueFields in the hosts of a placement, and
// [Machines.CheckAddresses] refuses addresses on ports that are made for something else.
package machines
