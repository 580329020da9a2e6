// Package offheap allocates memory outside the Go heap: the collector neither scans nor counts it,
// and it can lie on huge pages. A store's index and log live here.
//
// [Alloc] backs a [Region] with pages before it returns, so that no page fault falls into a
// measurement. [Region.Backing] returns the kind and the size of the pages that the kernel really
// gave, and not the requested kind.
//
// Sizes are the kernel's own: base pages of 4 or 64 KiB, transparent huge pages of 2 or 512 MiB,
// and reserved pools of several sizes. A region takes the pool with the smallest pages of at least
// 2 MiB. [Auto] leaves pages of more than 2 MiB alone if half of them would be empty.
//
// Missing memory is refused before any of it is touched: see [Fits]. It checks the machine's
// available memory and the limits of every control group of this process. The limits are those of
// versions 1 and 2: memory.max, memory.high, and those of huge pages. It cannot know what other
// processes take between that check and the first touch.
//
// Under the race detector a region comes from the Go heap: the detector does not see mapped memory,
// and would find nothing there.
package offheap
