// Package packetfilter is packet work of our own on the path. It defines the words for that work,
// and the eBPF instructions for datapaths that run programs. It knows packets. The caller describes
// a store's requests ([Requests]). Package submode knows the abilities of each datapath.
//
//	drop-client:ADDRESS    IPv4 packets that come from the address are dropped
//	drop-key-hash:P        HERD's requests for partition P: the keys whose hash chooses it
//	count-opcode           HERD's requests are counted by operation, none is dropped
//
// # One match, two kinds of programs
//
// Traffic control (tcx) passes a program the packet's beginning and end. DPDK's testpmd
// (librte_bpf) passes only its beginning. [Filter.Match] returns the instructions that both share.
// The caller provides a check of bounds, or none. librte_bpf supports no 32-bit jumps and no maps,
// so the match has none.
//
//	           tcx (package redirect)         testpmd ([Filter.Object])
//	argument   __sk_buff                      the packet's first byte
//	bounds     data_end                       none: behind a packet lies the rest of its buffer
//	result     bpf_redirect, or TC_ACT_SHOT   1, or 0 to drop
//	counts     a map                          the ports' own: packets in less packets forwarded
//
// # A partition is a UDP source port
//
// A key's hash chooses the partition that owns it, and HERD has a queue pair to each partition.
// With RoCE v2, each queue pair sends from a UDP port of its own. So any switch can read the
// partition there. MICA's own paper tells a NIC the partition in the same way.
package packetfilter
