package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"dpukv/internal/test/chromium"
	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
	"dpukv/results/runfolder/runfoldertest"
)

// probed is a run with two curves of stores and all kinds of probes, of which one failed.
func probed(tb testing.TB, stores bool) *runfolder.Run {
	tb.Helper()
	points := resultstest.StudyProbes()
	points = append(points, resultstest.StudyProbe("dma", "dpuB", "test=latency bytes=1", nil,
		resultstest.Failed("no memory to copy")))
	if stores {
		for _, submode := range []string{"sm1", "off-path"} {
			points = append(points, resultstest.Curve(4e6, []int{1, 2, 4, 8}, 3, func(p *results.Point) {
				p.Submode, p.ServerNode = submode, results.Node{Node: "hostB", Kind: "host"}
			})...)
		}
	}
	return runfoldertest.Create(tb, points, resultstest.StudyNodes()...)
}

// TestBeneathInTheModel: probes are no points of the curves, and each line knows its curve.
func TestBeneathInTheModel(t *testing.T) {
	m := must.Get(Read(probed(t, true), Options{}))(t)
	if m.Count != 24 || len(m.Beneath.Figures) != 8 || len(m.Beneath.Curves) != 2 || len(m.Beneath.Failed) != 1 {
		t.Errorf("%d points, %d figures, %d curves, %d failed", m.Count, len(m.Beneath.Figures),
			len(m.Beneath.Curves), len(m.Beneath.Failed))
	}
	for _, l := range m.Lines {
		submode := m.Points[l.Marks[0][0]].Submode
		if l.Curve < 0 || !strings.Contains(strings.ToLower(m.Beneath.Curves[l.Curve].Title), submode) {
			t.Errorf("the line under %s has the curve %d", submode, l.Curve)
		}
	}
	must.Get(json.Marshal(m))(t)
}

func TestBeneathInABrowser(t *testing.T) {
	b := chromium.NewBrowser(t)
	dir := t.TempDir()
	b.Run(t, browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir),
		chromedp.EmulateViewport(1400, 900))
	b.Open(t, page(t, probed(t, true), Options{}))
	text := func(selector string) string {
		return chromium.Eval[string](t, b, fmt.Sprintf(`document.querySelector(%q).textContent`, selector))
	}
	for selector, parts := range map[string][]string{
		"#beneath-figures": {
			"memory: latency of a dependent load", "Numbers of RDMA: latency of verbs", "64 MiB", "emulated",
		},
		"#beneath-tables": {
			"Memory bandwidth, GB/s", "hostB, 12 threads", "22.3 ±0.4", "the CPU copies: no DMA engine",
			"1 probe failed:", "no memory to copy",
		},
		"#made": {
			"MICA, CH-SH, SM1", "MICA, CH-SH, off-path", "memory of hostB", "25.1 B per operation: at most 138 Mops",
			"not measured", "measure: [kvs, {network: {test: [stream], cores: [1, 2], direction: [up]}}]",
		},
	} {
		for _, part := range parts {
			if got := text(selector); !strings.Contains(got, part) {
				t.Errorf("%s: found %q, want it with %q", selector, got, part)
			}
		}
	}
	b.Run(t, chromedp.Evaluate(`document.querySelectorAll("main details").forEach(d => d.open = true)`, nil))
	for _, width := range []int64{1400, 375} {
		beneathFits(t, b, width)
	}
	t.Run("filter", func(t *testing.T) { madeOfWhatIsShown(t, b) })
	t.Run("export", func(t *testing.T) { probesAreSaved(t, b, dir) })
	if errs := b.Errors(); len(errs) > 0 {
		t.Errorf("the page logged %q", errs)
	}
}

// beneathFits checks that each figure has ink, and that nothing is wider than its place.
func beneathFits(t *testing.T, b *chromium.Browser, width int64) {
	b.Run(t, chromedp.EmulateViewport(width, 900))
	b.Until(t, fmt.Sprintf("innerWidth === %d", width))
	if wide := chromium.Eval[[]string](t, b, `["html", "#beneath", "#beneath-figures", "#beneath-tables", "#made"]
		.filter(s => { const e = document.querySelector(s); return e.scrollWidth > e.clientWidth; })`); len(wide) > 0 {
		t.Errorf("at %d pixels %q are wider than their place", width, wide)
	}
	inked := chromium.Eval[[]int](t, b, `[...document.querySelectorAll("#beneath canvas")].map(c => {
		const copy = Object.assign(document.createElement("canvas"), { width: c.width, height: c.height }), to = copy.getContext("2d", { willReadFrequently: true });
		to.drawImage(c, 0, 0);
		const px = to.getImageData(0, 0, c.width, c.height).data; let n = 0;
		for (let i = 0; i < px.length; i += 4) if (px[i] === 0 && px[i+1] === 0x72 && px[i+2] === 0xb2) n++;
		return n; })`)
	if len(inked) != 8 {
		t.Errorf("%d figures, want 8", len(inked))
	}
	for i, n := range inked {
		if n < 40 {
			t.Errorf("at %d pixels figure %d has %d pixels of its first line", width, i+1, n)
		}
	}
	picture(t, b, fmt.Sprintf("beneath-%d", width))
}

// madeOfWhatIsShown: a filter takes away the parts of what it leaves out.
func madeOfWhatIsShown(t *testing.T, b *chromium.Browser) {
	titles := `[...document.querySelectorAll("#made details")].map(d => d.dataset.curve).join("; ")`
	b.Click(t, `#filters input[data-dim="submode"][data-value="off-path"]`)
	if got := chromium.Eval[string](t, b, titles); got != "MICA, CH-SH, SM1" {
		t.Errorf("parts of %s", got)
	}
	b.Click(t, `#filters input[data-dim="submode"][data-value="off-path"]`)
	if got := chromium.Eval[string](t, b, titles); got != "MICA, CH-SH, SM1; MICA, CH-SH, off-path" {
		t.Errorf("parts of %s", got)
	}
}

func probesAreSaved(t *testing.T, b *chromium.Browser, dir string) {
	b.Run(t, chromedp.EmulateViewport(1400, 900), chromium.Prefer("dark"))
	b.Click(t, `#beneath figure[data-stem="verbs-latency-p50"] [data-save="svg"]`)
	svg := string(downloaded(t, dir, ".svg"))
	keep(t, "verbs.svg", []byte(svg))
	must.Contain(t, svg,
		"message size", "median latency (µs)", "CH-SD (emulated)", "Emulated (24 of 24 marks)", ">write<", " KiB<")
	b.Click(t, `#beneath figure[data-stem="memory-bandwidth"] [data-save="png"]`)
	img := must.Get(png.Decode(bytes.NewReader(downloaded(t, dir, ".png"))))(t)
	if r, g, bl, _ := img.At(1, 1).RGBA(); img.Bounds().Dx() != 3*1228 || r != 0xffff || g != 0xffff || bl != 0xffff {
		t.Errorf("%d pixels of width, and a ground of %x %x %x", img.Bounds().Dx(), r, g, bl)
	}
}

// TestProbesAloneInABrowser: a run without stores has a page, and so has one without probes. Neither
// has a part on a DPU.
func TestProbesAloneInABrowser(t *testing.T) {
	b := chromium.NewBrowser(t)
	for _, c := range []struct {
		run    *runfolder.Run
		want   string
		hidden int
	}{
		{probed(t, false), "Memory, network and DMA without a store", 8},
		{runfoldertest.Create(t, resultstest.Curve(1e6, []int{1, 2}, 1)), "This run has no probes", 2},
	} {
		b.Open(t, page(t, c.run, Options{}))
		if got := chromium.Eval[string](t, b, `document.querySelector("#beneath-lead").textContent`); !strings.HasPrefix(
			got, c.want) {
			t.Errorf("found %q, want %q", got, c.want)
		}
		if made := chromium.Eval[string](t, b, `document.querySelector("#made").textContent`); made != "" {
			t.Errorf("a curve is made of %q", made)
		}
		hidden := chromium.Eval[int](t, b, `document.querySelectorAll("section[hidden]:not(#answer), nav a[hidden]").length`)
		if want := c.hidden; hidden != want {
			t.Errorf("%d parts and links are hidden, want %d", hidden, want)
		}
	}
	if errs := b.Errors(); len(errs) > 0 {
		t.Errorf("the page logged %q", errs)
	}
}
