// Package ibverbs is the provider for RDMA NICs, and for the kernel's soft-RoCE, through
// libibverbs.
//
// The first device that is opened loads libibverbs.so.1 (package clib). Without the library, [Open]
// and [Probe] return an error that says what to install: there is no fallback to another provider.
// Any version of the library since 2007 serves: the provider uses functions of IBVERBS_1.1 only.
// Builds with the tag static can load no library, and say so.
//
// # Crossing into C
//
// A call into C costs more than posting a work request, so a whole list crosses at once. A queue
// pair keeps chained work requests in the layout of infiniband/verbs.h, in pinned memory. PostSend
// fills them in and makes one call. A completion queue polls a whole batch in the same way. verbs.h
// has these functions inline: they call the driver by a pointer in the context, and so does this
// package. TestLayout compares the structures with the header (abi.go, constants.go).
//
// Address handles are addresses in C. Work requests name them by their index in a table of the
// protection domain.
//
// # DMA engine
//
// A [Copier] copies memory of this machine by the DMA engine of an mlx5 device. It loads
// libmlx5.so.1, rdma-core's driver, for mlx5dv_wr_memcpy. That work request exists only on queue
// pairs that mlx5dv_create_qp made for it.
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
