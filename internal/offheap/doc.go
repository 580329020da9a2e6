// Package offheap allocates memory outside the Go heap: the collector neither scans nor counts it,
// and it can lie on huge pages. A store's index and log live here.
//
// [Alloc] backs a [Region] with pages before it returns, so that no page fault falls into a
// measurement. [Region.Pages] returns the kind of pages that the kernel really gave, read back from
// the kernel afterwards, and not the requested kind.
//
// Missing memory is refused before any of it is touched: see [Fits]. It checks the machine's
// available memory and the limits of every control group of this process. The limits are those of
// versions 1 and 2: memory.max, memory.high, and those of huge pages. It cannot know what other
// processes take between that check and the first touch.
//
// Under the race detector a region comes from the Go heap: the detector does not see mapped memory,
// and would find nothing there.
package offheap
