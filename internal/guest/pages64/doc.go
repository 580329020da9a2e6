// Command pages64 is the first process of a virtual machine whose arm64 kernel has pages of 64 KiB.
// It mounts what tests need, runs every /tests/*.test, and powers the machine off.
//
// A line before each test binary names it. The last line is the one that init.sh of the other guest
// prints:
//
//	guest: tests of offheap
//	guest: job ended with status 0
package main
