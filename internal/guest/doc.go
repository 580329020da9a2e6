// Package guest boots a small virtual machine whose kernel has features that others lack. Soft-RoCE
// (rxe) lets tests use real verbs on a machine without an RDMA card. Open vSwitch's datapath and
// traffic control's flower serve sweeps of the on-path submodes, and the rehearsal of a BlueField.
//
// # The machine
//
// The guest is a user-mode Linux kernel, a process like any other: no KVM, no image, up in half a
// second. User code runs at native speed but on one CPU, so the guest's figures prove function and
// never speed. Its root is this machine's own, read-only over hostfs: a test binary built here runs
// there with the libraries it was linked with.
//
// kernel.sh builds the kernel once, from Debian's source and guest.config. The build takes about
// four minutes on two free cores and 1.6 GB; 8 MB stay. The kernel lies in
// ${XDG_CACHE_HOME:-~/.cache}/dpukv, named by the source's version and a hash of the configuration.
// init.sh is the guest's first process.
//
// # The tests
//
// The tests are behind the build tag guest; make test-rdma runs them, except TestOnPath (make
// test-lab) and TestCard (make test-card). Each test runs in a network and process namespace of its
// own. The namespace's end removes all taps and stray processes.
//
//	TestIBVerbs   the ibverbs provider's tests, inside the guest, on rxe
//	TestPerf      the microbenchmark, likewise
//	TestPerftest  perftest and the probe "verbs" on one device, and the ratio of their figures
//	TestInterop   every operation between softroce here and rxe in the guest, over a tap
//	TestHERD      HERD over the same tap, both ways round: every answer of a mixed load right; in the guest, its link taken down
//	              under load, which the error must name
//	TestOneSided  a store whose clients read items, over the same tap, both ways round
//	TestOnPath    a sweep of all on-path submodes inside the guest, and package submode's tests of what only it has: Open vSwitch's
//	              kernel datapath and flower, what they leave, and evidence that fails
//	TestCard      package rehearsal's tests of SM1 and SM4 on Open vSwitch's kernel datapath
//
// make test-arm64-64k runs another machine: arm64 under qemu-system, with a kernel whose base pages
// have 64 KiB. kernel.sh builds it from arm64-64k.config, in three minutes on two free cores.
//
//	TestPages64   the short tests of the packages that map memory, without huge pages, with a pool of 2 MiB, and with one of 512 MiB,
//	              the default size of such kernels
//
// [Sweep] is the implementation of "dpukv sweep --in-guest": the same binary and files in the
// guest, the run folder here.
//
// Each test that the guest reports (go test's own output) becomes a subtest. A machine that cannot
// run the guest skips the tests, with the reason in one line.
package guest
