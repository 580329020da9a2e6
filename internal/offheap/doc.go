// Package offheap allocates memory outside the Go heap: the collector neither scans nor
// counts it, and it can lie on huge pages. A store's index and log live here.
//
// A [Region] is backed by its pages before it is handed out, so that no page fault falls into a
// measurement, and [Region.Pages] tells what the kernel really gave, read back from the
// kernel after the fact, not what was asked for.
//
// Under the race detector a region comes from the Go heap: the detector does not see
// mapped memory, and would find nothing there.
package offheap
