package live

import (
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dpukv/internal/test/chromium"
	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// served is a server for the folder of a sweep that has not started.
func served(t *testing.T) (*Server, string) { return servedWith(t, readTimeout) }

func servedWith(t *testing.T, patience time.Duration) (*Server, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	s := serve(must.Get(net.Listen("tcp", "127.0.0.1:0"))(t), hostsOf("127.0.0.1:0"),
		Options{Dir: dir, Version: "v1", Total: 9}, patience)
	t.Cleanup(func() {
		if err := s.Close("The sweep has ended."); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return s, dir
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	reply := must.Get(http.Get(url))(t)
	defer reply.Body.Close()
	body := must.Get(io.ReadAll(reply.Body))(t)
	return reply.StatusCode, string(body)
}

func begin(t *testing.T, dir string) *runfolder.Writer {
	t.Helper()
	w := must.Get(runfolder.Create(dir, []byte("store: mica\n"), nil))(t)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func add(t *testing.T, w *runfolder.Writer, points ...results.Point) {
	t.Helper()
	for i := range points {
		must.Do(t, w.Append(&points[i], nil))
	}
}

func TestServesAFolderThatFillsUp(t *testing.T) {
	s, dir := served(t)
	if code, body := get(t, s.URL()); code != http.StatusServiceUnavailable ||
		!strings.Contains(body, "has not begun") {
		t.Errorf("before the sweep began: %d %s", code, body)
	}
	w := begin(t, dir)
	if _, body := get(t, s.URL()+"data.json"); !strings.Contains(body, `"count":0`) {
		t.Errorf("an empty folder: %.200s", body)
	}
	add(t, w, resultstest.Curve(1e6, []int{1, 2}, 2)...)
	add(t, w, resultstest.Point(resultstest.Failed("no"), func(p *results.Point) { p.ClientThreads = 3 }))
	if _, body := get(t, s.URL()+"data.json"); !strings.Contains(body, `"count":5`) {
		t.Errorf("a folder of five points: %.200s", body)
	}
	if _, body := get(t, s.URL()); !strings.Contains(body, "connect-src 'self'") ||
		!strings.Contains(body, "const served = true;") {
		t.Error("the page does not follow")
	}
	if code, _ := get(t, s.URL()+"points.jsonl"); code != http.StatusNotFound {
		t.Errorf("a file of the folder is answered with %d", code)
	}
}

func TestAddressInUse(t *testing.T) {
	s, _ := served(t)
	_, err := Start(s.listen.Addr().String(), Options{})
	must.Fail(t, err, "free port")
	if !s.Loopback() {
		t.Error("127.0.0.1 is not taken for this machine alone")
	}
}

// TestPageFillsUp keeps a browser open while points arrive.
func TestPageFillsUp(t *testing.T) {
	b := chromium.NewBrowser(t)
	s, dir := served(t)
	w := begin(t, dir)
	b.Open(t, s.URL())
	b.Until(t, `document.querySelector("#live").textContent === "Live: 0 of 9 points"`)
	add(t, w, resultstest.Curve(1e6, []int{1, 2}, 1)...)
	b.Until(t, `document.querySelectorAll("#panels canvas").length === 1 && document.querySelector("#live").textContent === "Live: 2 of 9 points"`)
	add(t, w, resultstest.Curve(1e6, []int{1, 2}, 1, func(p *results.Point) { p.GetRatio = 0.5 })...)
	b.Until(t, `document.querySelectorAll("#panels canvas").length === 2 && document.querySelectorAll('#filters [data-dim="get_ratio"]').length === 2`)
	add(t, w, resultstest.StudyProbes()[:2]...)
	b.Until(t, `document.querySelectorAll("#beneath canvas").length === 1 && document.querySelector("#made").textContent.includes("MICA, CH-SH")`)
	add(t, w, resultstest.Point(func(p *results.Point) { p.ID, p.ClientThreads = "last", 8 }))
	must.Do(t, s.Close("The sweep has ended."))
	b.Until(t, `document.querySelector("#live").textContent === "The sweep has ended." && document.querySelector("#subtitle").textContent.includes("5 points")`)
	if errs := b.Errors(); len(errs) > 0 {
		t.Errorf("the page logged %q", errs)
	}
}

func TestLongHeadersAreRefused(t *testing.T) {
	s, _ := served(t)
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL(), nil))(t)
	r.Header.Set("X-Long", strings.Repeat("x", 2*maxHeaderBytes))
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return // it hung up before all was sent
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("found %d", reply.StatusCode)
	}
}
