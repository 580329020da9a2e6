// Package redirect forwards between two interfaces in the kernel's traffic control (tcx). A packet
// that comes in at one is put out of the other by an eBPF program, in the context of whoever sent it.
// It stands in for an eSwitch. How a store's requests look comes from the caller.
//
//	skb ─▶ filter, if any ─▶ count ─▶ bpf_redirect(other interface)
//	          └─▶ count, drop
//
// The programs belong to the interfaces: no process and no file holds them, and they go with the
// interfaces. They are found again by their name. Their counts are read from the program that is
// attached now: one that was taken off counts nothing.
package redirect
