package process

import (
	"fmt"
	"strconv"
	"strings"
)

// CPUList formats CPUs for taskset and DPDK.
func CPUList(cpus []int) string {
	words := make([]string, len(cpus))
	for i, n := range cpus {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// CPUMask formats CPUs for Open vSwitch.
func CPUMask(cpus []int) string {
	var m uint64
	for _, n := range cpus {
		m |= 1 << n
	}
	return fmt.Sprintf("0x%x", m)
}
