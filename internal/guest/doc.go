// Package guest boots a small virtual machine whose kernel has what others lack: soft-RoCE (rxe), for tests against real verbs
// on a machine without an RDMA card; Open vSwitch's datapath and traffic control's flower, for sweeps of the on-path submodes.
//
// # The machine
//
// It is a user-mode Linux kernel, a process like any other: no KVM, no image, up in half a second, with user code at
// native speed but on one CPU, so its figures prove function and never speed. Its root is this machine's own, read-only
// over hostfs, so a test binary built here runs there with the libraries it was linked with.
// kernel.sh builds the kernel once, from Debian's source and guest.config (about four minutes on two free cores and 1.6 GB
// while it lasts; 8 MB stay), and keeps it in ${XDG_CACHE_HOME:-~/.cache}/dpukv, named by the source's
// version and a hash of the configuration. init.sh is the guest's first process.
//
// # The tests
//
// They are behind the build tag guest; make test-rdma runs them. Each test runs in a network and process namespace of its
// own, which takes taps and stray processes with it however it ends.
//
//	TestIBVerbs   the ibverbs provider's tests, inside the guest, on rxe
//	TestPerf      the microbenchmark, likewise
//	TestInterop   every operation between softroce here and rxe in the guest, over a tap
//	TestHERD      HERD over the same tap, both ways round: every answer of a mixed load right; in the guest, its link taken down
//	              under load, which the error must name
//	TestOnPath    a sweep of all on-path submodes inside the guest, and package submode's tests of what only it has: Open vSwitch's
//	              kernel datapath and flower, what they leave, and evidence that fails
//
// [Sweep] is what "dpukv sweep --in-guest" runs: the same binary and files in the guest, the run folder here.
//
// What the tests inside report (go test's own output) becomes a subtest each. A machine that cannot
// run the guest skips, and says in one line why.
package guest
