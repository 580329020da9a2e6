// Package clock reads the two clocks of a processor, which are easily confused.
//
// The first is the counter that a program reads without the kernel: amd64's TSC and arm64's
// CNTVCT_EL0. It ticks at a fixed rate that is independent of the core's rate: 25 MHz to 1 GHz on
// Arm, some base frequency on x86. [Counter] reads it. [CounterHz] returns its rate and the source
// of that rate.
//
// The second is the core's own cycles. The kernel's perf events count them, if the kernel lets the
// program use them ([OpenCycles]). Many virtual machines do not. There, [CoreHz] estimates the
// core's rate from a chain of dependent additions, of which a core does one a cycle. The result is
// an estimate and must be labelled so.
package clock
