// Package packaging makes what a release consists of, and tests it.
//
//	release.sh         binaries, tarballs, Debian packages, bill of materials, checksums: the same bits each time
//	deb.sh             a Debian package out of a tree of files
//	bill.sh, sbom.jq   licences, and from a binary's build information to a bill of materials (CycloneDX)
//	licenses.*         which licences dependencies may have, and how they are listed
//	arm64.sh           runs a command in which programs for arm64 run, under qemu-user
//
// # Tests
//
// They take minutes, so each stands behind a build tag, and make starts it:
//
//	make test-release  release: two builds are equal bit by bit; docs/tasks/first-sweep.md is followed
//	                   line by line in a bare Debian, from the package to a report
//	make test-arm64    arm64emu: a quick sweep of the binary for arm64, and sweeps whose client and server are of different
//	                   architectures; before that, the tests of all packages that can run under qemu-user
//
// # What qemu-user shows, and what it cannot
//
// It translates every instruction: what the compiler makes for Arm, its alignment faults, byte layouts between two
// architectures, system calls. It found an atomic load across its bounds, at which Arm faults. It does not show Arm's memory
// order: on a host that is x86 the translated loads and stores keep that machine's order, and an order that was forgotten
// goes unnoticed. Where the order matters it is therefore argued, at the place, and the pattern held against a model of Armv8's memory
// (internal/test/litmus): verbs/shm and kvs/herd (slots), verbs/softroce (placement of a message), kvs/partition (versions of CREW). Nor does it know some system calls: ethtool's ioctl, clone into new namespaces, bpf.
// A test that needs one of those asks for it (internal/test/kernel), and is skipped with that reason.
package packaging
