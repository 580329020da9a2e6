// Package kernel asks what tests need and not every kernel has: qemu-user, for one, which stands in for the kernel when tests run as arm64
// programs on another machine. A test that needs what is not there is skipped with that reason. Each question is asked by doing the
// thing, so that whoever learns it some day, runs the test.
package kernel
