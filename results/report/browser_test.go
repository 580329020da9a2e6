package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"dpukv/internal/test/chromium"
	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
	"dpukv/results/runfolder/runfoldertest"
)

func TestMain(m *testing.M) { os.Exit(chromium.Share(m)) }

// TestPageInABrowser uses the page as a reader does.
func TestPageInABrowser(t *testing.T) {
	b := chromium.NewBrowser(t)
	run := study(t)
	address := page(t, run, Options{})
	b.Run(t, chromedp.EmulateViewport(1280, 900))
	b.Open(t, address)

	t.Run("figures", func(t *testing.T) { figuresDraw(t, b) })
	t.Run("limits", func(t *testing.T) { limitsAreThoseOfResults(t, b, run) })
	t.Run("hover", func(t *testing.T) { hoverTells(t, b) })
	t.Run("keyboard", func(t *testing.T) { keyboardReaches(t, b) })
	t.Run("filter", func(t *testing.T) { filterLeavesOut(t, b) })
	t.Run("measure", func(t *testing.T) { measureChanges(t, b) })
	t.Run("bound", func(t *testing.T) { boundIsThatOfResults(t, b) })
	t.Run("theme", func(t *testing.T) { themeFollows(t, b, address) })
	t.Run("narrow", func(t *testing.T) { narrowFits(t, b) })

	if errs := b.Errors(); len(errs) > 0 {
		t.Errorf("the page logged %q", errs)
	}
	for _, r := range b.Requests() {
		if !strings.HasPrefix(r, "file:") && !strings.HasPrefix(r, "data:") {
			t.Errorf("the page asked for %s", r)
		}
	}
}

// picture saves a screenshot for a human reader, if DPUKV_SCREENSHOTS names a folder.
func picture(t *testing.T, b *chromium.Browser, name string) {
	t.Helper()
	dir := os.Getenv("DPUKV_SCREENSHOTS")
	if dir == "" {
		return
	}
	var png []byte
	b.Run(t, chromedp.FullScreenshot(&png, 100))
	must.Do(t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

func figuresDraw(t *testing.T, b *chromium.Browser) {
	picture(t, b, "light")
	titles := chromium.Eval[[]string](t, b, `[...document.querySelectorAll("figcaption")].map(f => f.textContent)`)
	if want := []string{
		"HERD · 50 % GET", "HERD · 95 % GET", "HERD · 100 % GET", "MICA · 50 % GET", "MICA · 95 % GET",
		"MICA · 100 % GET",
	}; fmt.Sprint(titles) != fmt.Sprint(want) {
		t.Errorf("figures %q, want %q", titles, want)
	}
	below := chromium.Eval[string](t, b,
		`document.querySelectorAll("#panels figure")[3].querySelector(".below").textContent`)
	if !strings.HasPrefix(below, "✕ 3 points failed and are not drawn: CH-SD, 12 client threads") {
		t.Errorf("below the figure with failed points stands %q", below)
	}
	// For each canvas, the number of pixels in the first line's colour.
	inked := chromium.Eval[[]int](t, b, `[...document.querySelectorAll("#panels canvas")].map(c => {
		const px = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0;
		for (let i = 0; i < px.length; i += 4) if (px[i] === 0 && px[i+1] === 0x72 && px[i+2] === 0xb2 && px[i+3] === 255) n++;
		return n; })`)
	for i, n := range inked {
		if n < 100 {
			t.Errorf("figure %d has %d pixels of its first line", i+1, n)
		}
	}
}

// limitsAreThoseOfResults compares the page's computed values with those of package results.
func limitsAreThoseOfResults(t *testing.T, b *chromium.Browser, run *runfolder.Run) {
	got := strings.Join(chromium.Eval[[]string](t, b,
		`[...document.querySelectorAll("#limits-table tbody tr:not(.under)")].map(r => [...r.cells].slice(2, 6).map(c => c.textContent).join(" | "))`), "\n")
	points, _, err := run.Points()
	must.Do(t, err)
	p99 := must.Get(results.ParseLatencyMetrics("p99"))(t)
	var want []string
	for _, l := range results.Lines(points) {
		knee, ok := l.Knee(p99[0])
		row := reached(l.Peak(), p99[0]) + " | none found | –"
		if ok {
			row = reached(l.Peak(), p99[0]) + " | " + reachedKnee(&l, knee, p99[0])
		}
		want = append(want, row)
	}
	if got != strings.Join(want, "\n") {
		t.Errorf("the page has\n%s\npackage results\n%s", got, strings.Join(want, "\n"))
	}
}

func reached(m *results.Mark, metric *results.Metric) string {
	return fmt.Sprintf("%s Mops at %s client thread%s | %s µs", three(m.Throughput().Median/1e6), m.AxisValue,
		map[bool]string{true: "", false: "s"}[m.AxisValue == "1"], three(m.Of(metric).Median/1e3))
}

// reachedKnee is the knee with the range of its throughput, if several marks may be the knee.
func reachedKnee(l *results.Line, k results.Knee, metric *results.Metric) string {
	text := reached(&l.Marks[k.At], metric)
	if k.First == k.Last {
		return text
	}
	var ops []float64
	for i := k.First; i <= k.Last; i++ {
		ops = append(ops, l.Marks[i].Throughput().Median/1e6)
	}
	return strings.Replace(text, " | ", fmt.Sprintf(" (%s Mops to %s Mops, %s to %s) | ", three(slices.Min(ops)),
		three(slices.Max(ops)), l.Marks[k.First].AxisValue, l.Marks[k.Last].AxisValue), 1)
}

// boundIsThatOfResults compares the last column with package results. Some lines break the bound
// at a middle load only.
func boundIsThatOfResults(t *testing.T, b *chromium.Browser) {
	latencies := []float64{100, 120, 260, 270, 195}
	points := resultstest.Curve(2e6, []int{1, 2, 4, 8, 12}, 3, func(p *results.Point) {
		i := slices.Index([]int{1, 2, 4, 8, 12}, p.ClientThreads)
		p.Latency = resultstest.Latency(latencies[i] * 1e3 / 2) // p99 is twice the median
		if i == 1 {
			p.Warnings = results.ReadWarnings("schedule late: 9 of 10 batches left late", "the threads spun")
		}
	})
	bound := must.Get(results.ParseBound("p99=200us"))(t)
	b.Open(t, page(t, runfoldertest.Create(t, points), Options{Bound: &bound}))
	got := chromium.Eval[string](t, b, `document.querySelector("#limits-table tbody tr").cells[6].textContent`)
	w := results.Lines(points)[0].Within(bound)
	at := func(m *results.Mark) string {
		return fmt.Sprintf("%s Mops at %s client threads", three(m.Throughput().Median/1e6), m.AxisValue)
	}
	want := at(w.Mark) + "! " + at(w.Later) + " also keeps it, but a lower load breaks it! " +
		w.Mark.Validity()[0].String()
	if got != want || w.Mark.AxisValue != "2" {
		t.Errorf("the page has %q, want %q", got, want)
	}
}

// three writes x with three significant digits.
func three(x float64) string {
	switch {
	case x < 1:
		return fmt.Sprintf("%.3f", x)
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func hoverTells(t *testing.T, b *chromium.Browser) {
	b.Run(t, chromedp.Evaluate(`document.querySelectorAll(".plot")[4].scrollIntoView({block: "center"})`, nil))
	// The keyboard finds the last mark of CH-SH, then the mouse moves to the same place.
	b.Run(t, chromedp.Evaluate(`document.querySelectorAll(".plot")[4].focus()`, nil),
		chromedp.KeyEvent(strings.Repeat(kb.ArrowRight, 5)))
	where := chromium.Eval[[]float64](t, b,
		`(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelectorAll("figure")[4].querySelector(".ring").getBoundingClientRect())`)
	b.Run(t, chromedp.Evaluate(`document.activeElement.blur()`, nil))
	if shown := chromium.Eval[int](t, b, `document.querySelectorAll(".tip:not([hidden])").length`); shown != 0 {
		t.Errorf("%d boxes are left when the focus is gone", shown)
	}
	b.Run(t, chromedp.MouseEvent("mouseMoved", where[0]+5, where[1]-5))
	tip := chromium.Eval[string](t, b, `document.querySelector(".tip:not([hidden])")?.innerText || "no box"`)
	must.Contain(t, strings.ReplaceAll(tip, "p999", "p99.9"),
		"12 client threads", "3 repeats", "throughput", "Mops", "p99.9", "Bottleneck: both",
		"client-bound: the client's threads",
	)
	picture(t, b, "hover")
	b.Run(t, chromedp.MouseEvent("mouseMoved", 5, 5))
	if shown := chromium.Eval[int](t, b, `document.querySelectorAll(".tip:not([hidden])").length`); shown != 0 {
		t.Errorf("%d boxes are left when the mouse is gone", shown)
	}
}

func keyboardReaches(t *testing.T, b *chromium.Browser) {
	b.Run(t, chromedp.Evaluate(`document.querySelectorAll(".plot")[5].focus()`, nil),
		chromedp.KeyEvent(kb.ArrowRight+kb.ArrowDown+kb.ArrowDown+kb.ArrowRight))
	said := chromium.Eval[string](t, b, `document.querySelector("#said").textContent`)
	if !strings.Contains(said, "CH-SD. 2 client threads.") || !strings.Contains(said, "p99") {
		t.Errorf("read aloud is %q", said)
	}
	b.Run(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, `document.querySelector("dialog[open]")`)
	dialog := chromium.Eval[string](t, b, `document.querySelector("dialog").innerText`)
	must.Contain(t, dialog,
		"mica-CH-SD-off-path-get100-st2-ct2", "Bottleneck: ", "server workers",
		"ops per batch", "preload_hit_rate", "actual_latency_p99_ns",
	)
	for _, want := range []string{"Where the time goes", "client queue", "rest: wire and kernels", "mean latency"} {
		if !strings.Contains(dialog, want) {
			t.Errorf("the point's stages lack %q:\n%s", want, dialog)
		}
	}
	if parts := chromium.Eval[int](t, b,
		`[...document.querySelectorAll("dialog .stack .key")].filter(e => e.offsetWidth > 0).length`); parts != 3 {
		t.Errorf("the bar has %d parts that can be seen, want 3: a closed loop has none before the send", parts)
	}
	picture(t, b, "details")
	b.Click(t, `dialog .repeats button:nth-of-type(2)`)
	if head := chromium.Eval[string](t, b,
		`document.querySelector("#details-head").textContent`); !strings.HasSuffix(head, "-r2") {
		t.Errorf("the second repeat's fields are those of %s", head)
	}
	b.Run(t, chromedp.KeyEvent(kb.Escape))
	b.Until(t, `!document.querySelector("dialog[open]")`)
	// Tab reaches every element that the mouse can use.
	reached := chromium.Eval[int](t, b,
		`[...document.querySelectorAll("[onclick], .plot, label input, nav a, thead button")].filter(e => e.tabIndex < 0).length`)
	if reached != 0 {
		t.Errorf("%d parts can't be reached with the keyboard", reached)
	}
}

func filterLeavesOut(t *testing.T, b *chromium.Browser) {
	rows := func() int {
		return chromium.Eval[int](t, b, `document.querySelectorAll("#points-table tbody tr:not(.under)").length`)
	}
	before := rows()
	b.Click(t, `#filters input[data-dim="get_ratio"][data-value="50"]`)
	b.Click(t, `#filters input[data-dim="placement"][data-value="CH-SH"]`)
	if after := rows(); before != 5*15-1 || after != 2*3*5 {
		t.Errorf("%d rows before and %d after, want 74 and 30", before, after)
	}
	titles := chromium.Eval[[]string](t, b, `[...document.querySelectorAll("figcaption")].map(f => f.textContent)`)
	if len(titles) != 2 {
		t.Errorf("figures %q, want those of MICA at 95 and 100 %%", titles)
	}
	failed := chromium.Eval[string](t, b, `document.querySelector("#failed-list").textContent`)
	if failed != "None." {
		t.Errorf("failed points of what is left out: %q", failed)
	}
	b.Click(t, `#legend button`)
	if pressed := chromium.Eval[string](t, b,
		`document.activeElement.getAttribute("aria-pressed")`); pressed != "false" {
		t.Errorf("the line that was hidden, and has the focus, is pressed: %q", pressed)
	}
	b.Click(t, `#legend button`)
	b.Click(t, `#filters input[data-dim="get_ratio"][data-value="50"]`)
	b.Click(t, `#filters input[data-dim="placement"][data-value="CH-SH"]`)
	if again := rows(); again != before {
		t.Errorf("%d rows when nothing is left out any more, want %d", again, before)
	}
}

func measureChanges(t *testing.T, b *chromium.Browser) {
	b.Click(t, `#controls input[value="p50"]`)
	b.Click(t, `#bound`)
	b.Run(t, chromedp.KeyEvent("150us"))
	head := chromium.Eval[string](t, b, `document.querySelector("#limits-table thead").innerText`)
	if !strings.Contains(head, "p50 there") || !strings.Contains(head, "Most within 150 µs") {
		t.Errorf("the head is %q", head)
	}
	picture(t, b, "bound")
	b.Click(t, `#controls fieldset:nth-of-type(2) input[value="log"]`)
	b.Click(t, `#points-table [data-head="throughput, Mops"]`)
	first := chromium.Eval[[]string](t, b,
		`[...document.querySelectorAll("#points-table tbody tr:not(.under)")].slice(0, 2).map(r => r.cells[5].textContent)`)
	if sorted := chromium.Eval[string](t, b,
		`document.querySelector('[aria-sort]').textContent`); sorted != "throughput, Mops ↑" || len(first) != 2 {
		t.Errorf("sorted by %q: %q", sorted, first)
	}
}

func themeFollows(t *testing.T, b *chromium.Browser, address string) {
	b.Run(t, chromium.Prefer("dark"))
	b.Open(t, address)
	picture(t, b, "dark")
	ground := func() string {
		return chromium.Eval[string](t, b, `getComputedStyle(document.body).backgroundColor`)
	}
	if got := ground(); got != "rgb(18, 21, 24)" {
		t.Errorf("the ground of the dark page is %s", got)
	}
	b.Click(t, `#theme`)
	if got := ground(); got != "rgb(247, 248, 248)" {
		t.Errorf("the ground of the light page is %s", got)
	}
}

func narrowFits(t *testing.T, b *chromium.Browser) {
	b.Run(t, chromedp.EmulateViewport(360, 800))
	b.Until(t, `innerWidth === 360`)
	b.Until(t, `document.documentElement.scrollWidth <= 360`) // the layout follows the window
	picture(t, b, "narrow")
}

func TestEmptyAndDamagedRunsInABrowser(t *testing.T) {
	b := chromium.NewBrowser(t)
	run := runfoldertest.Create(t, nil)
	b.Open(t, page(t, run, Options{}))
	if got := chromium.Eval[string](t, b,
		`document.querySelector("#drawn").textContent`); got != "There is nothing to draw yet." {
		t.Errorf("an empty run says %q", got)
	}
	damaged := runfoldertest.Create(t, resultstest.Curve(1e6, []int{1, 2}, 1, func(p *results.Point) {
		p.Warnings = results.ReadWarnings(`</script><script>console.error("injected")</script><b>`)
	}))
	appendTo(t, filepath.Join(damaged.Dir(), "points.jsonl"), "{\"schema\":1,\"id\":\"cut")
	b.Open(t, page(t, damaged, Options{}))
	if got := chromium.Eval[string](t, b, `document.querySelector("#notes").textContent`); !strings.Contains(got,
		"points.jsonl, line 3: half-written") {
		t.Errorf("the notes are %q", got)
	}
	if errs := b.Errors(); len(errs) > 0 {
		t.Errorf("the page logged %q", errs)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f := must.Get(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))(t)
	defer f.Close()
	must.Get(f.WriteString(text))(t)
}

// TestNothingIsUndefinedInABrowser: a search has points of a closed and of an open loop, and a line of
// one configuration has no words of its own. The page says of neither what it does not know.
func TestNothingIsUndefinedInABrowser(t *testing.T) {
	b := chromium.NewBrowser(t)
	b.Run(t, chromedp.EmulateViewport(1280, 900))
	search := resultstest.Curve(2e6, []int{1, 2, 4, 8}, 3)
	for i := range 4 {
		search = append(search, resultstest.Curve(5e5*float64(i+1), []int{4}, 3, func(p *results.Point) {
			p.RateOps = p.ThroughputOps
			p.Latency = resultstest.Latency(20e3 * 10 * float64(i+1) * float64(i+1) * float64(p.Repeat))
		})...)
	}
	failed := resultstest.Curve(2e6, []int{1}, 2)
	resultstest.Failed("no answer")(&failed[1])
	attached := func(store, addr string) []results.Point {
		return resultstest.Curve(2e6, []int{1, 2}, 2, func(p *results.Point) {
			p.Store, p.Placement, p.Submode, p.ServerAddr = store, "attached", "unknown", addr
		})
	}
	for name, points := range map[string][]results.Point{
		"search": search, "one configuration": failed,
		"attached": slices.Concat(attached("mica", "10.0.0.3:7000"), attached("redis", "10.0.0.2:6379")),
	} {
		b.Open(t, page(t, runfoldertest.Create(t, points), Options{}))
		text := chromium.Eval[string](t, b, `document.body.innerText + [...document.querySelectorAll("[aria-label]")].map(e => "\n" + e.ariaLabel).join("")`)
		for _, wrong := range []string{"undefined", "NaN", "\n: ", "not drawn: .", "1 points", "1 claims"} {
			if at := strings.Index(text, wrong); at >= 0 {
				t.Errorf("%s: found %q: …%s…", name, wrong, text[max(0, at-80):min(len(text), at+80)])
			}
		}
		lines := chromium.Eval[[]string](t, b, `[...document.querySelectorAll("#limits-table tbody tr:not(.under)")].map(r => r.cells[1].textContent)`)
		if name == "attached" && (strings.Contains(lines[0], "6379") || strings.Contains(lines[1], "7000")) {
			t.Errorf("the lines are %q", lines)
		}
		for _, column := range chromium.Eval[[]string](t, b, `[3, 5].map(i => [...new Set([...document.querySelectorAll("#limits-table tbody tr:not(.under)")].map(r => r.cells[i].textContent.split(" ")[1]).filter(Boolean))].join())`) {
			if strings.Contains(column, ",") {
				t.Errorf("%s: one column has the units %s", name, column)
			}
		}
	}
}
