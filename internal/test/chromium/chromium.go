package chromium

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
)

// Browser is a page in Chromium, with the page's errors.
type Browser struct {
	Ctx context.Context // for chromedp.Run

	mu       sync.Mutex
	errors   []string
	requests []string // other than for data: and file: addresses
}

// shared is a Chromium that starts when the first test asks for a page.
type shared struct {
	start sync.Once
	ctx   context.Context
	end   func() error
	err   error
}

// ofAll is what the tests of a program share. nil: each has its own.
var ofAll *shared

// Share runs a program's tests. All of their browsers are pages of one Chromium, which
// starts with the first of them. A page of dpukv stores nothing there, so an earlier one leaves no
// trace in a later one.
func Share(m *testing.M) int {
	ofAll = &shared{}
	code := m.Run()
	if err := ofAll.close(); err != nil {
		fmt.Fprintln(os.Stderr, "end chromium:", err)
	}
	return code
}

// NewBrowser opens a page, and closes it with the test. Without Chromium it skips the test.
func NewBrowser(tb testing.TB) *Browser {
	tb.Helper()
	binary := ""
	for _, name := range []string{"google-chrome", "chromium-browser"} {
		if path, err := exec.LookPath(name); err == nil {
			binary = path
		}
	}
	if binary == "" {
		binary = programs.Need(tb, "chromium")
	}
	browser := ofAll
	if browser == nil {
		browser = &shared{}
		tb.Cleanup(func() {
			if err := browser.close(); err != nil {
				tb.Logf("end chromium: %v", err)
			}
		})
	}
	must.Do(tb, browser.open(binary))
	ctx, cancel := context.WithTimeout(browser.ctx, 2*time.Minute)
	tb.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	tb.Cleanup(cancel)
	b := &Browser{Ctx: ctx}
	chromedp.ListenTarget(b.Ctx, b.note)
	// This call has no time-out of its own: a page lives as long as the context of its first call.
	if err := chromedp.Run(b.Ctx, network.Enable(), log.Enable(), Prefer("light")); err != nil {
		tb.Fatalf("open a page of %s: %v", binary, err)
	}
	return b
}

// open starts Chromium, unless it runs.
func (s *shared) open(binary string) error {
	s.start.Do(func() { s.err = s.run(binary) })
	return s.err
}

func (s *shared) run(binary string) error {
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return err
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(binary), chromedp.UserDataDir(profile),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
	)
	// Chromedp reports events of a browser newer than itself as errors. They concern its copy of
	// the document. The tests ask the page itself and never use that copy.
	s.ctx, _ = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	s.end = func() error {
		err := chromedp.Cancel(s.ctx) // waits for the process, so that its profile can be removed
		cancel()
		return errors.Join(err, os.RemoveAll(profile))
	}
	return chromedp.Run(s.ctx)
}

// close ends Chromium, if it was started, and waits.
func (s *shared) close() error {
	if s.end == nil {
		return nil
	}
	return s.end()
}

func (b *Browser) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		for _, a := range e.Args {
			b.errors = append(b.errors, fmt.Sprintf("console.%s: %s", e.Type, a.Value))
		}
	case *log.EventEntryAdded:
		b.errors = append(b.errors, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

// Errors are console errors, uncaught exceptions, and violations of the page's policy.
func (b *Browser) Errors() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.errors...)
}

// Requests are the addresses that the page requested.
func (b *Browser) Requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.requests...)
}

// stepTimeout is the limit of one step. A browser under load is slow.
const stepTimeout = time.Minute

// Run performs actions and fails the test if one fails.
func (b *Browser) Run(tb testing.TB, actions ...chromedp.Action) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, stepTimeout)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		tb.Fatalf("%v (the page said: %q)", err, b.Errors())
	}
}

// Prefer sets the reader's preference for a "light" or a "dark" page. It also turns off smooth
// scrolling, which would move the page while the test looks for a place in it.
func Prefer(scheme string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
		{Name: "prefers-reduced-motion", Value: "reduce"},
	})
}

// Until waits until a JavaScript expression is true.
func (b *Browser) Until(tb testing.TB, expression string) {
	tb.Helper()
	for end := time.Now().Add(stepTimeout); ; time.Sleep(10 * time.Millisecond) {
		if Eval[bool](tb, b, "Boolean("+expression+")") {
			return
		}
		if time.Now().After(end) {
			tb.Fatalf("after %v still not: %s (the page said: %q)", stepTimeout, expression,
				b.Errors())
		}
	}
}

// Open goes to an address and waits until the page is drawn.
func (b *Browser) Open(tb testing.TB, address string) {
	tb.Helper()
	b.Run(tb, chromedp.Navigate(address))
	b.Until(tb, `document.documentElement.dataset.ready`)
}

// Click clicks on the visible part of an element with the mouse. It fails if another element covers
// it.
func (b *Browser) Click(tb testing.TB, selector string) {
	tb.Helper()
	at := Eval[[]float64](tb, b, fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		if (!e) return [];
		e.scrollIntoView({ block: "center", inline: "center" });
		const r = e.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2, top = document.elementFromPoint(x, y);
		return top && (e.contains(top) || top.contains(e)) ? [x, y] : [];
	})()`, selector))
	if len(at) == 0 {
		tb.Fatalf("%s is not there, or is covered", selector)
	}
	b.Run(tb, chromedp.MouseClickXY(at[0], at[1]))
}

// Eval returns the value of a JavaScript expression.
func Eval[T any](tb testing.TB, b *Browser, expression string) T {
	tb.Helper()
	var v T
	b.Run(tb, chromedp.Evaluate(expression, &v))
	return v
}
