package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/field"
	"dpukv/internal/numfmt"
	"dpukv/internal/offheap"
	"dpukv/probe"
	"dpukv/probe/memory/stream"
)

// The tests beside the kernels of STREAM.
const (
	testLatency = "latency"
	testLoaded  = "loaded"
	testKVS     = "kvs"
)

// The axes.
const (
	axisTest    = "test"
	axisBlock   = "block_bytes"
	axisPages   = "pages"
	axisChains  = "chains"
	axisLoad    = "load"
	axisBatch   = "batch"
	axisArray   = "array_bytes"
	axisThreads = "threads"
	axisCode    = "code"
)

// auto is an array of four times the last-level caches in use, as STREAM asks.
const auto = "auto"

// allCPUs is a thread on every CPU.
const allCPUs = "all"

const (
	minBlock = 1 << 10
	maxBlock = 1 << 40
)

// pagesOf are the values of the axis pages.
var pagesOf = map[string]offheap.Pages{
	"4k": offheap.Small, "16k": offheap.Small, "64k": offheap.Small, "thp": offheap.THP,
	"huge": offheap.HugeTLB,
}

// Kind is the row of the table of probes.
var Kind = probe.Kind{
	Name: "memory", Title: "memory",
	Axes: []probe.Axis{
		{
			Name: axisTest, Help: "What to measure: the latency of a load, the same on loaded " +
				"memory, the pattern of a store, or a kernel of STREAM.",
			Default: []string{testLatency},
			Codec: field.Word(append([]string{testLatency, testLoaded, testKVS},
				stream.Kernels()...)),
		},
		{
			Name: axisBlock, Help: "Memory that the loads go through.",
			Default: []string{"16384", "1048576", "67108864"},
			Codec:   bytesCodec(minBlock, maxBlock),
		},
		{
			Name: axisPages, Help: "Pages of that memory: the kernel's base pages, transparent " +
				"huge pages, or reserved ones.", Default: []string{"thp"},
			Codec: field.Word([]string{"4k", "16k", "64k", "thp", "huge"}),
		},
		{
			Name: axisChains, Help: "Chains of dependent loads at once.",
			Default: []string{"1"}, Codec: field.Whole(1, 2).Texts(),
		},
		{
			Name: axisLoad, Help: "What the other CPUs move, as a share of what they can move.",
			Default: []string{"0.5"},
			Codec: field.Word([]string{
				"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1",
			}),
		},
		{
			Name: axisBatch, Help: "Operations whose loads may overlap.",
			Default: []string{"1", "64"}, Codec: field.Whole(1, maxBatch).Texts(),
		},
		{
			Name: axisArray, Help: "Each of the three arrays of STREAM; auto is four times the " +
				"last-level caches of the threads' CPUs.", Default: []string{auto},
			Codec: orWord(auto, bytesCodec(minBlock, maxBlock)),
		},
		{
			Name: axisThreads, Help: "Threads, each on a CPU of its own.",
			Default: []string{"1"},
			Codec:   orWord(allCPUs, field.Whole(1, 1024).Texts()),
		},
		{
			Name: axisCode, Help: "Code of the kernels: vector is what an optimising compiler " +
				"makes; nontemporal stores past the caches; study is unoptimised, as in the study.",
			Default: []string{string(stream.Vector)}, Codec: field.Word(stream.Codes()),
		},
	},
	Figures: []probe.Figure{
		{Name: "latency_ns", Title: "latency, ns"},
		{
			// the latency less that of a block in L1: tinymembench's column
			Name: "beyond_l1_ns", Title: "beyond L1, ns",
		},
		{Name: "load_bytes_per_s", Title: "load, GB/s", Factor: 1e-9},
		{Name: "bytes_per_s", Title: "best, GB/s", Factor: 1e-9},
		{Name: "median_bytes_per_s", Title: "median, GB/s", Factor: 1e-9},
	},
	Uses:    uses,
	Examine: examine,
	Threads: threads,
	Expect: func(_ probe.Settings, warmup, duration time.Duration) time.Duration {
		return warmup + duration + time.Second
	},
	Measure: measure,
}

// bytesCodec reads sizes such as 64KiB. Their canonical text is the number of bytes.
func bytesCodec(lo, hi int64) field.Codec[string] {
	return field.Codec[string]{
		Parse: func(text string) (string, error) {
			var size numfmt.Size
			if err := size.Set(text); err != nil || int64(size) < lo || int64(size) > hi {
				return "", field.ErrNotAllowed
			}
			return strconv.FormatInt(int64(size), 10), nil
		},
		Format: func(text string) string { return text },
		Allowed: fmt.Sprintf("a size such as 64KiB, from %v to %v", numfmt.Size(lo),
			numfmt.Size(hi)),
	}
}

// orWord also allows a word.
func orWord(word string, c field.Codec[string]) field.Codec[string] {
	return field.Or(word, c).Texts().As(word + ", or " + c.Allowed)
}

// uses reports whether a test uses an axis.
func uses(s probe.Settings, axis string) bool {
	test := s.Get(axisTest)
	kernel := slices.Contains(stream.Kernels(), test)
	switch axis {
	case axisTest, axisPages:
		return true
	case axisBlock:
		return !kernel
	case axisChains:
		return test == testLatency
	case axisLoad:
		return test == testLoaded
	case axisBatch:
		return test == testKVS
	}
	return kernel
}

// threads is the number of threads of a test; 0: one on every CPU.
func threads(s probe.Settings, _ bool) int {
	switch {
	case s.Get(axisTest) == testLoaded, s.Get(axisThreads) == allCPUs:
		return 0
	case s.Get(axisThreads) != "":
		return s.Int(axisThreads)
	}
	return 1
}

// examine refuses what this machine does not have.
func examine(s probe.Settings, _ bool) error {
	if err := stream.Check(stream.Code(s.Get(axisCode))); err != nil {
		return err
	}
	pages := s.Get(axisPages)
	if base := basePages(); pagesOf[pages] == offheap.Small && pages != base {
		return fmt.Errorf("pages: found %s, allowed on this kernel: %s, thp, huge", pages, base)
	}
	need, err := bytesNeeded(s)
	if err != nil {
		return err
	}
	if pagesOf[pages] == offheap.HugeTLB {
		return examineHuge(need)
	}
	if err := offheap.Fits(need, pagesOf[pages]); err != nil {
		return fmt.Errorf("%d bytes of memory: %w", need, err)
	}
	if err := examineTHP(pages); err != nil {
		return err
	}
	cpus, err := cpu.Allowed()
	if err != nil {
		return err
	}
	if s.Get(axisTest) == testLoaded && len(cpus) < 2 {
		return errors.New("test: found loaded on one CPU, allowed: two or more; one measures, " +
			"the others move")
	}
	if n := threads(s, false); n > len(cpus) {
		return fmt.Errorf("threads: found %d, allowed: up to the %d CPUs here", n, len(cpus))
	}
	return nil
}

// examineHuge asks for the reserved pages, and gives them back.
func examineHuge(need int64) error {
	region, err := offheap.Alloc(int(need), offheap.HugeTLB)
	if err != nil {
		return fmt.Errorf("pages: found huge without enough reserved pages, allowed: thp, or "+
			"reserve them first: sysctl vm.nr_hugepages=%d (%w)", need>>21+1, err)
	}
	return region.Free()
}

// examineTHP asks for a transparent huge page, and gives it back.
func examineTHP(pages string) error {
	if pagesOf[pages] != offheap.THP {
		return nil
	}
	region, err := offheap.Alloc(hugePage, offheap.THP)
	if err != nil {
		return fmt.Errorf("pages: found thp, allowed on this kernel: %s, huge (%w)", basePages(),
			err)
	}
	return region.Free()
}

// hugePage is a huge page of most kernels. A smaller block lies on the begin of one.
const hugePage = 2 << 20

// basePages names the kernel's base pages.
func basePages() string { return strconv.Itoa(os.Getpagesize()>>10) + "k" }

// bytesNeeded is the memory of a test.
func bytesNeeded(s probe.Settings) (int64, error) {
	if block := s.Get(axisBlock); block != "" {
		n, err := strconv.ParseInt(block, 10, 64)
		if s.Get(axisTest) == testLoaded {
			cpus, _ := cpu.Allowed()
			n += int64(len(cpus)) * loadBytes
		}
		return n, err
	}
	cpus, err := cpu.Allowed()
	if err != nil {
		return 0, err
	}
	n, err := arrayBytes(s, cpus)
	return 3 * n, err
}

// arrayBytes is the size of an array of STREAM for threads on CPUs.
func arrayBytes(s probe.Settings, cpus []int) (int64, error) {
	if text := s.Get(axisArray); text != auto {
		return strconv.ParseInt(text, 10, 64)
	}
	if n := threads(s, false); n > 0 && n < len(cpus) {
		cpus = cpus[:n]
	}
	return stream.AutoBytes(cpus), nil
}

// measure measures one test.
func measure(ctx context.Context, task *probe.Task) (*probe.Outcome, error) {
	if len(task.CPUs) == 0 {
		var err error
		if task.CPUs, err = cpu.Allowed(); err != nil {
			return nil, err
		}
	}
	out := &probe.Outcome{Figures: map[string]float64{}, Facts: map[string]string{}}
	cpuNs := cpu.ProcessNs()
	began := func() {
		out.StartedAt, cpuNs = time.Now().UTC(), cpu.ProcessNs()
		if task.Began != nil {
			task.Began()
		}
	}
	var err error
	if task.Settings.Get(axisBlock) == "" {
		err = bandwidth(ctx, task, out, began)
	} else {
		err = latency(ctx, task, out, began)
	}
	out.Duration, out.CPUNs = time.Since(out.StartedAt), cpu.ProcessNs()-cpuNs
	return out, errors.Join(err, ctx.Err())
}

// bandwidth runs a kernel of STREAM.
func bandwidth(ctx context.Context, task *probe.Task, out *probe.Outcome, began func()) error {
	s := task.Settings
	bytes, err := arrayBytes(s, task.CPUs)
	if err != nil {
		return err
	}
	n := threads(s, false)
	if n == 0 {
		n = len(task.CPUs)
	}
	if n > len(task.CPUs) {
		return fmt.Errorf("threads: found %d, allowed: up to the %d CPUs of this process", n,
			len(task.CPUs))
	}
	res, err := stream.Measure(ctx, stream.Config{
		Kernel: stream.Kernel(s.Get(axisTest)), Code: stream.Code(s.Get(axisCode)),
		ArrayBytes: int(bytes), CPUs: task.CPUs[:n], Pages: pagesOf[s.Get(axisPages)],
		Warmup: task.Warmup, Duration: task.Duration, Began: began,
	})
	if err != nil {
		return err
	}
	out.CPUs = task.CPUs[:n]
	out.Figures["bytes_per_s"], out.Figures["median_bytes_per_s"] = res.Best, res.Median
	out.Facts["isa"], out.Facts["backing"] = res.ISA, res.Pages
	out.Facts["arrays"] = fmt.Sprintf("3 of %d bytes", res.ArrayBytes)
	out.Facts["last_level_caches"] = fmt.Sprintf("%d bytes", res.CacheBytes)
	out.Facts["passes"] = strconv.Itoa(res.Passes)
	out.Warnings = append(out.Warnings, res.Warnings...)
	if s.Get(axisCode) == string(stream.Study) {
		out.Warnings = append(out.Warnings, "built without -O: the code is that of the study's "+
			"STREAM, which does not reach the memory's bandwidth on every core")
	}
	return nil
}

// latency times the steps of a test.
func latency(ctx context.Context, task *probe.Task, out *probe.Outcome, began func()) (err error) {
	s := task.Settings
	runtime.LockOSThread() // it ends with the goroutine, whose thread stays pinned
	if err := cpu.PinThread(task.CPUs[0]); err != nil {
		return err
	}
	block := s.Int(axisBlock)
	region, err := offheap.Alloc(max(block, hugePage), pagesOf[s.Get(axisPages)])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, region.Free()) }()
	sayPages(out, s.Get(axisPages), region.Backing())
	bytes := region.Bytes()[:block]
	out.CPUs = task.CPUs[:1]
	if s.Get(axisTest) == testKVS {
		p := newPattern(bytes, s.Int(axisBatch), task.Seed)
		out.Figures["latency_ns"] = timed(ctx, p.steps, task.Warmup, task.Duration, began)
		return nil
	}
	const inL1 = 1 << 10
	chains := 1
	if s.Get(axisTest) == testLatency {
		chains = s.Int(axisChains)
	}
	small := newChaser(bytes[:inL1], chains, task.Seed)
	base := timed(ctx, small.steps, 0, 20*time.Millisecond, nil)
	c := newChaser(bytes, chains, task.Seed)
	run := func(began func()) {
		out.Figures["latency_ns"] = timed(ctx, c.steps, task.Warmup, task.Duration, began)
	}
	if s.Get(axisTest) == testLoaded {
		err = underLoad(ctx, task, out, began, run)
	} else {
		run(began)
	}
	out.Figures["beyond_l1_ns"] = max(out.Figures["latency_ns"]-base, 0)
	return err
}

// underLoad measures while the other CPUs move their share.
func underLoad(
	ctx context.Context, task *probe.Task, out *probe.Outcome, began func(), run func(began func()),
) (err error) {
	others := task.CPUs[1:]
	if len(others) == 0 {
		return errors.New("test: found loaded on one CPU, allowed: two or more")
	}
	l, err := startLoad(others)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.end()) }()
	share, err := strconv.ParseFloat(task.Settings.Get(axisLoad), 64)
	if err != nil {
		return err
	}
	peak := l.holdShare(ctx, share, len(others))
	rate := l.meter()
	run(func() {
		rate = l.meter()
		began()
	})
	out.Figures["load_bytes_per_s"] = rate()
	out.Facts["load_cpus"] = cpu.FormatList(others)
	out.Facts["load_peak_bytes_per_s"] = strconv.FormatFloat(peak, 'g', 4, 64)
	return nil
}

// sayPages tells what the memory lies on. A kernel may give other pages than it was asked for.
func sayPages(out *probe.Outcome, asked string, b offheap.Backing) {
	out.Facts["backing"] = b.String()
	got := map[offheap.Pages]string{
		offheap.Small: basePages(), offheap.THP: "thp", offheap.HugeTLB: "huge",
	}[b.Kind]
	if b.Kind == offheap.Heap {
		out.Warnings = append(out.Warnings, "a build with the race detector measures no memory")
		got = asked
	}
	out.Facts[axisPages] = got
}
