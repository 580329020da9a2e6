// Package offheap allocates memory outside the Go heap: the collector neither scans nor
// counts it, and it can lie on huge pages. A store's index and log live here.
//
// A [Region] is backed by its pages before it is handed out, so that no page fault falls into a
// measurement, and [Region.Pages] tells what the kernel really gave, read back from the
// kernel after the fact, not what was asked for.
//
// Memory that is not there is refused before any of it is touched: see [Fits]. It looks at what
// the machine has available and at the limits of every control group that this process is
// in (versions 1 and 2; memory.max, memory.high, and those of huge pages). What others take between
// that look and the first touch, it cannot know.
//
// Under the race detector a region comes from the Go heap: the detector does not see
// mapped memory, and would find nothing there.
package offheap
