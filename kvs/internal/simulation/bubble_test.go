package simulation

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestBubble(t *testing.T) {
	Run(t, 1, func(w *World) {
		w.Bubble(func() {
			begin, woke := time.Now(), time.Time{}
			go func() {
				time.Sleep(time.Hour)
				woke = time.Now()
			}()
			w.Sleep(2 * time.Hour)
			synctest.Wait()
			if woke.Sub(begin) != time.Hour || time.Since(begin) != 2*time.Hour {
				t.Errorf("woke at %v of %v", woke, begin)
			}
		})
	})
}
