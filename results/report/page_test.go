package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"dpukv/internal/test/chromium"
	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
	"dpukv/results/runfolder/runfoldertest"
)

// TestAnswersInABrowser reads what the page says above and below its figures.
func TestAnswersInABrowser(t *testing.T) {
	b := chromium.NewBrowser(t)
	b.Run(t, chromedp.EmulateViewport(1400, 900))
	b.Open(t, page(t, study(t), Options{}))
	text := func(selector string) string {
		return chromium.Eval[string](t, b, fmt.Sprintf(`document.querySelector(%q).textContent`, selector))
	}
	for selector, parts := range map[string][]string{
		"#headline": {
			"emulated", "not sure", "MICA, 100 % GET: ",
			"CH-SH, tcp is the best configuration over 3 cases together: ",
			"1.21 to 1.22 times the throughput of the next. ",
			"One test of all rounds: p = 0.0039. In 3 other cases, there is nothing to compare.",
			"Emulated, not hardware: softroce.", "found 3, needed: 5.",
			"3 points failed and are not compared: 3 of CH-SD.",
		},
		"#notes .fold":         {"9 of 222 points: the client's CPU is full", "Such as: client-bound: ", "mica-CH-SH-"},
		"#claims-lead":         {" cases of ", " claims of the study and of Lynx", " inconclusive"},
		"#claims-list .claims": {"inconclusive", "the study ", "this run ", "needed: 4"},
		"#claims-list":         {"Not measured by this run: "},
		"#words":               {"Mops", "CH-SHClients on host A, server on host B.", "knee", "hits"},
		"#findings .findings": {
			"spoils", "load: 2.1 in the last minute", "Effect: others take CPU time", "Mend: uptime",
		},
		"#findings details":     {"Not known: 1 check", "clock: no clock source"},
		"#subtitle":             {"CH-SH, "},
		"#machines-table thead": {"host-a", "dpu-a"},
	} {
		for _, part := range parts {
			if got := text(selector); !strings.Contains(got, part) {
				t.Errorf("%s: found %q, want it with %q", selector, got, part)
			}
		}
	}
	for _, width := range []int64{1400, 1280, 375} {
		fits(t, b, width)
	}
	if errs := b.Errors(); len(errs) > 0 {
		t.Errorf("the page logged %q", errs)
	}
}

// fits checks that nothing of the page, of the machines and of the texts is cut off at a width.
func fits(t *testing.T, b *chromium.Browser, width int64) {
	b.Run(t, chromedp.EmulateViewport(width, 900))
	b.Until(t, fmt.Sprintf("innerWidth === %d", width))
	b.Run(t, chromedp.Evaluate(`document.querySelectorAll("main details").forEach(d => d.open = true)`, nil))
	wide := chromium.Eval[[]string](t, b, `["html", "#answer", "#notes", "#claims", "#machines .scroll", "#findings", "#method", "#export"]
		.filter(s => { const e = document.querySelector(s); return e.scrollWidth > e.clientWidth; })`)
	if len(wide) > 0 {
		t.Errorf("at %d pixels %q are wider than their place", width, wide)
	}
	if cut := chromium.Eval[int](t, b,
		`(e => e.scrollWidth - e.clientWidth)(document.querySelector("#points .scroll"))`); width >= 1280 && cut > 0 {
		t.Errorf("at %d pixels the table of points is cut by %d", width, cut)
	}
	picture(t, b, fmt.Sprintf("answers-%d", width))
}

// astray is a run with one mark far above all others.
func astray(t *testing.T) *runfolder.Run {
	var points []results.Point
	for i, placement := range []string{"CH-SH", "CH-SD"} {
		points = append(points, resultstest.Curve(4e6-1e6*float64(i), []int{1, 2, 4, 8, 12}, 3, func(p *results.Point) {
			p.Placement = placement
			if i == 1 && p.ClientThreads == 12 {
				p.Latency = resultstest.Latency(50e6)
			}
		})...)
	}
	herd := resultstest.Curve(9e6, []int{1, 2, 4, 8, 12}, 3, func(p *results.Point) {
		p.Store, p.Transport = "herd", "rdma"
	})
	return runfoldertest.Create(t, append(points, herd...))
}

// TestRangeInABrowser holds the page's axis to results.AxisLimit, and shows an outlier on demand.
func TestRangeInABrowser(t *testing.T) {
	b := chromium.NewBrowser(t)
	run := astray(t)
	b.Open(t, page(t, run, Options{}))
	below := func() string {
		return chromium.Eval[string](t, b, `[...document.querySelectorAll("figure .below")].map(e => e.textContent).join("\n")`)
	}
	if want := "↑ 1 mark above the figure: CH-SD at 12 client threads, 100 ms."; !strings.Contains(below(), want) {
		t.Errorf("found %q below the figures, want %q", below(), want)
	}
	aria := `[...document.querySelectorAll("figure")].map(f => f.dataset.top + " " + f.dataset.right)`
	tops := chromium.Eval[[]string](t, b, aria)
	points, _, err := run.Points()
	must.Do(t, err)
	var mids []float64
	for _, l := range results.Lines(points) {
		for _, m := range l.Marks {
			if m.Repeats[0].Store == "mica" {
				mids = append(mids, m.Of(results.LatencyMetrics()[3]).Median)
			}
		}
	}
	limit, clipped := results.AxisLimit(mids)
	var top, right float64
	if _, err := fmt.Sscan(tops[1], &top, &right); err != nil || clipped != 1 || top < limit || top > 3*limit {
		t.Errorf("MICA's axis ends at %q, its limit is %v, with %d clipped", tops, limit, clipped)
	}
	b.Click(t, `figure .range`)
	if want := "The latency axis reaches to 1 outlier."; !strings.Contains(below(), want) {
		t.Errorf("found %q below the figures, want %q", below(), want)
	}
	if strings.Contains(below(), "above the figure") {
		t.Errorf("the full range leaves out: %q", below())
	}
	if tops[0] == tops[1] {
		t.Errorf("the stores share their axes unasked: %q", tops)
	}
	b.Click(t, `#controls input[value="shared"]`)
	if tops := chromium.Eval[[]string](t, b, aria); tops[0] != tops[1] {
		t.Errorf("the stores do not share their axes: %q", tops)
	}
}

// TestExportInABrowser saves figures as a reader does.
func TestExportInABrowser(t *testing.T) {
	b := chromium.NewBrowser(t)
	dir := t.TempDir()
	b.Run(t, browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir),
		chromedp.EmulateViewport(1400, 900))
	b.Run(t, chromium.Prefer("dark"))
	b.Open(t, page(t, study(t), Options{}))
	panels := chromium.Eval[int](t, b, `document.querySelectorAll("figure").length`)
	for _, row := range []struct {
		button string
		panels int
	}{
		{`figure:nth-of-type(4) [data-save="svg"]`, 1},
		{`#export [data-save-all="svg-shown"]`, panels},
		{`#export [data-save-all="svg-rows"]`, 3 * panels},
	} {
		b.Click(t, row.button)
		holdsPanels(t, downloaded(t, dir, ".svg"), row.panels)
	}
	for button, width := range map[string]int{
		`figure:nth-of-type(4) [data-save="png"]`: 428, `#export [data-save-all="png-rows"]`: 1228,
	} {
		b.Click(t, button)
		data := downloaded(t, dir, ".png")
		keep(t, fmt.Sprintf("sheet-%d.png", width), data)
		img := must.Get(png.Decode(bytes.NewReader(data)))(t)
		if got := img.Bounds().Dx(); got != 3*width {
			t.Errorf("%s saved %d pixels of width, want %d", button, got, 3*width)
		}
		if r, g, bl, _ := img.At(1, 1).RGBA(); r != 0xffff || g != 0xffff || bl != 0xffff {
			t.Errorf("%s saved a ground of %x %x %x, want white", button, r, g, bl)
		}
	}
	if errs := b.Errors(); len(errs) > 0 {
		t.Errorf("the page logged %q", errs)
	}
}

// holdsPanels parses an SVG, and checks its panels, its legend, and its marks of warnings.
func holdsPanels(t *testing.T, data []byte, panels int) {
	t.Helper()
	keep(t, fmt.Sprintf("sheet-%d.svg", panels), data)
	var texts []string
	clips := 0
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.CharData:
			texts = append(texts, string(e))
		case xml.StartElement:
			if e.Name.Local == "clipPath" {
				clips++
			}
		}
	}
	if clips != panels {
		t.Errorf("the file has %d panels, want %d", clips, panels)
	}
	all := strings.Join(texts, "\n")
	must.Contain(t, all,
		"MICA · 50 % GET", "throughput (Mops)", "p99 latency (µs)", "CH-SH", "CD-SH",
		"Marks: medians of 3 repeats", "3 points of the run failed",
	)
	for _, want := range []string{"Emulated (45 of ", "HERD · 50 % GET (emulated)"} {
		if panels > 1 && !strings.Contains(all, want) {
			t.Errorf("the file has no %q", want)
		}
	}
}

// downloaded waits for a file with this ending that does not grow any more, and takes it out of the
// folder.
func downloaded(t *testing.T, dir, ending string) []byte {
	t.Helper()
	size := -1
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		found, err := filepath.Glob(filepath.Join(dir, "*"+ending))
		if err != nil || len(found) == 0 {
			continue
		}
		data := must.Get(os.ReadFile(found[0]))(t)
		if len(data) == 0 || len(data) != size {
			size = len(data)
			continue
		}
		must.Do(t, os.Remove(found[0]))
		return data
	}
	t.Fatalf("no file %s after 20 seconds", ending)
	return nil
}

// keep saves a file for a human reader, as picture does.
func keep(t *testing.T, name string, data []byte) {
	t.Helper()
	if dir := os.Getenv("DPUKV_SCREENSHOTS"); dir != "" {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
}
