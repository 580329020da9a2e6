// Package ibverbs is the provider for RDMA NICs, and for the kernel's soft-RoCE, through
// libibverbs.
//
// It is C behind cgo, so it is compiled only with the build tag ibverbs (make ibverbs; Debian's
// package is libibverbs-dev). Without the tag [Open] and [Probe] refuse, and say so: nothing falls
// back to another provider.
//
// # Crossing into C
//
// A call into C costs more than posting a work request, so a whole list crosses at once:
// [verbs.SendWR], [verbs.RecvWR] and [verbs.WC] hold no Go pointers and are laid out as the C
// structures of shim.h are (the compiler checks every offset, see layout.go). One C function turns
// a list into chained work requests and posts it; one polls a whole batch. Address handles are
// pointers in C, so work requests name them by their place in a table that the protection domain
// keeps in C memory.
//
// # What a device decides
//
// Queues may be deeper than was asked for: a device rounds up. A send queue's places are free again
// once a completion that was made after them has been polled, so a sender of unsignaled work
// requests must signal one of them now and then. A completion with an error tells its ID and QP,
// and nothing else.
//
// A reliable connection retries a lost packet seven times, and for ever while the peer has posted
// no receive.
package ibverbs
