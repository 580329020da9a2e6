// Package card reads the mode of a BlueField: who owns the way between the wire and the host.
//
//	mode       INTERNAL_CPU_MODEL  INTERNAL_CPU_OFFLOAD_ENGINE  between wire and host
//	separated  0                   0                            nothing: host and Arm are peers
//	dpu        1                   0                            the Arm's eSwitch (ECPF, embedded)
//	nic        0 or 1              1                            nothing: the Arm takes no part
//
// mlxconfig has three values of each key: the default, the current one, and the one after the next
// power cycle. [Card] has all three modes. Only the current one says how a packet goes now.
//
// [Look] reads, without root's rights, which interface has a node's address, and which card is
// behind that interface.
package card
