// Package clock knows the two clocks of a processor that are easily taken for one another.
//
// The counter that a program can read without the kernel, amd64's TSC and arm64's
// CNTVCT_EL0, ticks at a fixed rate that has nothing to do with how fast the core runs:
// 25 MHz to 1 GHz on Arm, some base frequency on x86. [Counter] reads it, [CounterHz] says its rate and where
// that is known from.
//
// The core's own cycles are counted by the kernel's perf events, where it lets
// a program have them ([OpenCycles]). Where it does not, as on many virtual machines,
// [CoreHz] estimates the core's rate from a chain of dependent additions,
// of which a core does one a cycle. That is an estimate and must be labelled so.
package clock
