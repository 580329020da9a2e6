// Package ibverbs is the provider for RDMA NICs, and for the kernel's soft-RoCE, through
// libibverbs.
//
// It uses C through cgo, so only builds with the tag ibverbs contain it (make ibverbs; Debian's
// package is libibverbs-dev). Without the tag, [Open] and [Probe] return an error that says so:
// there is no fallback to another provider.
//
// # Crossing into C
//
// A call into C costs more than posting a work request, so a whole list crosses at once.
// [verbs.SendWR], [verbs.RecvWR] and [verbs.WC] hold no Go pointers and have the layout of the C
// structures in shim.h (the compiler checks every offset, see layout.go). One C function turns a
// list into chained work requests and posts it; another polls a whole batch. Address handles are
// pointers in C. So work requests name them by their index in a table that the protection domain
// keeps in C memory.
//
// # What a device decides
//
// Queues may be deeper than requested, because a device rounds up. Places of a send queue become
// free when a later completion is polled. So a sender of unsignaled work requests must signal one
// of them now and then. In a completion with an error only ID and QP are valid.
//
// A reliable connection retries a lost packet seven times. It retries without limit while the peer
// has posted no receive.
package ibverbs
