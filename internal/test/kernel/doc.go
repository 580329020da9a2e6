// Package kernel skips tests whose kernel lacks a feature. One such kernel is qemu-user, which
// stands in for the kernel when tests run as arm64 programs on another machine. The skip names the
// missing feature. Each check tries the feature itself: a kernel that gains it runs the test.
//
// again.sh runs a test binary, and runs it again if qemu-user hangs one of its forks.
package kernel
