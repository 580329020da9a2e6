package submode

import (
	"fmt"
	"strconv"
	"strings"
)

// cpuList is a list as taskset and DPDK take it.
func cpuList(cpus []int) string {
	words := make([]string, len(cpus))
	for i, n := range cpus {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// mask is a set of CPUs as OvS takes it.
func mask(cpus []int) string {
	var m uint64
	for _, n := range cpus {
		m |= 1 << n
	}
	return fmt.Sprintf("0x%x", m)
}
