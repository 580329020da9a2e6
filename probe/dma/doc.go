// Package dma is the kind of probes that copy memory as a DMA engine does: one side initiates a
// copy, an engine moves the bytes, and a completion tells the initiator.
//
//	engine=cpu   a core copies: the baseline of every machine, and no DMA engine
//
// # Memory
//
// The initiator has a near buffer of the size of a copy. The far region is four times as large as
// the last-level cache. A write copies the near buffer into the far region, a read copies in the
// other direction. Each copy goes to another place of the far region, in an order that a prefetcher
// does not guess. Without that walk the targets stay in the cache, and the figure is the cache's.
//
// # Completion
//
// With completion=poll the initiator's thread asks for the completion until it is there. The engine
// cpu copies on that thread. With completion=event the initiator's thread sleeps until an event
// wakes it. The engine cpu has a second thread then: it copies, and writes to an eventfd.
//
// # Time
//
// A latency begins before the submission and ends after the completion. A figure that ends with the
// submission says nothing about the copy. Before each measurement one copy is compared byte by
// byte.
package dma
