// Package packaging makes the parts of a release, and tests them.
//
//	version.sh         the version of a build: that of internal/provenance/VERSION where its tag is, else with the commit
//	release.sh         binaries, tarballs, Debian packages, bill of materials, checksums: the same bits each time
//	deb.sh             a Debian package out of a tree of files
//	bill.sh, sbom.jq   licences, and from a binary's build information to a bill of materials (CycloneDX)
//	licenses.*         which licences dependencies may have, and how they are listed
//	arm64.sh           runs a command in which programs for arm64 run, under qemu-user
//
// # Tests
//
// Most tests take minutes, so each of them stands behind a build tag, and make starts it:
//
//	make test-release  release: two builds are equal bit by bit; docs/tasks/first-sweep.md is followed
//	                   line by line in a bare Debian, from the package to a report
//	make test-arm64    arm64emu: a quick sweep of the binary for arm64, and sweeps whose client and server are of different
//	                   architectures; before that, the tests of all packages that can run under qemu-user
//
// # The limits of qemu-user
//
// qemu-user translates every instruction. It tests the compiler's output for Arm, Arm's alignment
// faults, byte layouts between two architectures, and system calls. It found an atomic load across
// its bounds, at which Arm faults.
//
// It does not show Arm's memory order. On an x86 host the translated loads and stores keep that
// machine's order, and a forgotten order goes unnoticed. Code that depends on the order therefore
// has an argument beside it. A test checks the pattern against a model of Armv8's memory
// (internal/test/litmus): verbs/shm and kvs/herd (slots), verbs/softroce (placement of a message),
// kvs/partition (versions of CREW).
//
// It lacks some system calls: ethtool's ioctl, clone into new namespaces, bpf. A test that needs
// one of those checks for it (internal/test/kernel), and is skipped with that reason.
package packaging
