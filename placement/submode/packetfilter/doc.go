// Package packetfilter is packet work of our own on the path: what may be asked for, in words, and the eBPF instructions for those
// datapaths that run programs. It knows packets; which datapath can do what, package submode knows.
//
//	drop-client:ADDRESS    IPv4 packets that come from the address are dropped
//	drop-key-hash:P        HERD's requests for partition P: the keys whose hash chooses it
//	count-opcode           HERD's requests are counted by operation, none is dropped
//
// # One match, two kinds of programs
//
// Traffic control (tcx) hands a program the packet's beginning and end; DPDK's testpmd (librte_bpf) its beginning only. [Filter.Match] are
// the instructions that both share; who uses them brings a check of bounds, or none. librte_bpf knows no 32-bit jumps and no
// maps, so there are none in the match.
//
//	           tcx (package redirect)             testpmd ([Filter.Object])
//	argument   __sk_buff                          the packet's first byte
//	bounds     data_end                           none: behind a packet lies the rest of its buffer, never another's
//	result     bpf_redirect, or TC_ACT_SHOT       1, or 0 to drop
//	counts     a map                              the ports' own: what came in less what was forwarded
//
// # A partition is a UDP source port
//
// A key's hash chooses the worker that owns it, by its highest bits ([dpukv/kvs/partition.PartitionOf]), and HERD has a queue pair to each. With RoCE v2 a queue
// pair's UDP source port follows from the flow label that it was made with ([dpukv/verbs.UDPSourcePort]), and HERD gives the one to worker P the label P+1, so its
// requests leave from port 0xc001+P. That is how MICA's own paper tells a NIC the partition, and it lies where any switch looks.
package packetfilter
