package simulation

import (
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"
)

// Bubble runs a simulation in a bubble of [testing/synctest]: the server may have goroutines, and
// their clock is the world's. After each step the simulation calls [synctest.Wait] to let them
// finish their work. The simulation ends all goroutines before it returns, even when it fails.
func (w *World) Bubble(simulate func()) {
	outside := w.t
	w.t.Helper()
	synctest.Test(outside.(*testing.T), func(t *testing.T) {
		w.t = t
		defer func() { w.t = outside }()
		defer func() {
			if p := recover(); p != nil {
				w.Failf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		simulate()
	})
}

// Sleep advances time in a bubble, for its goroutines too.
func (w *World) Sleep(d time.Duration) {
	w.Pass(d)
	time.Sleep(d)
}
