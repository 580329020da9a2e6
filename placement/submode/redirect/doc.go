// Package redirect forwards between two interfaces in the kernel's traffic control (tcx). An eBPF
// program sends each packet that comes in at one interface out of the other, in the sender's
// context. It stands in for an eSwitch. The caller describes a store's requests.
//
//	skb ─▶ filter, if any ─▶ count ─▶ bpf_redirect(other interface)
//	          └─▶ count, drop
//
// The programs belong to the interfaces: no process and no file holds them, and they go with the
// interfaces. Their name identifies them. Their counts are read from the attached program; a
// detached program counts nothing.
package redirect
