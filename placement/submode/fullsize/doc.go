// Package fullsize checks that packets of the full size cross a DPU on the path. A datapath whose
// ports have a smaller MTU than the hosts drops such packets without a word. DPDK sets the MTU of
// its ports to 1500, unless another one is asked for.
package fullsize
