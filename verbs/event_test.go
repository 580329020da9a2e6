package verbs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// teller is a device that only tells what it was told.
type teller struct {
	Device
	log *EventLog
}

func (d teller) Info() DeviceInfo               { return DeviceInfo{Name: "nic0"} }
func (d teller) Events(since time.Time) []Event { return d.log.Since(since) }

func newTeller(events ...Event) teller {
	d := teller{log: new(EventLog)}
	for _, e := range events {
		d.log.Add(e)
	}
	return d
}

func TestEventLogKeepsTheLast(t *testing.T) {
	d := newTeller()
	for i := range maxEvents + 10 {
		d.log.Add(Event{QPN: uint32(i)})
	}
	all := d.Events(time.Time{})
	if len(all) != maxEvents || all[0].QPN != 10 || all[len(all)-1].QPN != maxEvents+9 {
		t.Errorf("%d events, the first of QP %d, the last of %d", len(all), all[0].QPN, all[len(all)-1].QPN)
	}
	if later := d.Events(all[5].At); len(later) < len(all)-5 || later[0].At.Before(all[5].At) {
		t.Errorf("%d events since the sixth, want those from it on", len(later))
	}
	if none := d.Events(time.Now()); none != nil {
		t.Errorf("events since now: %+v", none)
	}
}

func TestExplain(t *testing.T) {
	synctest.Test(t, testExplain)
}

func testExplain(t *testing.T) {
	cause := errors.New("no answer")
	begin := time.Now()
	if err := Explain(cause, newTeller(), begin); err != cause {
		t.Errorf("without events: %v", err)
	}
	d := newTeller(Event{Kind: "port 1 went down", Serious: true},
		Event{Kind: "QP fatal", QPN: 0x11, Err: errors.New("no peer")})
	err := Explain(cause, d, begin)
	want := "no answer; the device said: QP fatal (QP 0x11) 0.0 s ago: no peer; port 1 went down 0.0 s ago"
	if err.Error() != want || !errors.Is(err, cause) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if err := Explain(nil, d, begin); err != nil {
		t.Errorf("of no error: %v", err)
	}
	time.Sleep(time.Second)
	if err := Explain(cause, d, time.Now()); err != cause {
		t.Errorf("of what came before: %v", err)
	}
	for range 3 {
		d.log.Add(Event{Kind: "CQ overrun"})
	}
	if got := EventText(d, begin); strings.Count(got, "CQ overrun") != 3 ||
		!strings.HasSuffix(got, "; and 2 more before") {
		t.Errorf("of five: %s", got)
	}
}

// TestExplainWaits checks late events: a NIC's events take a separate path, and may come after the
// failed completion.
func TestExplainWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, begin := newTeller(), time.Now()
		go func() {
			time.Sleep(straggle / 10)
			d.log.Add(Event{Kind: "QP fatal"})
		}()
		if got := EventText(d, begin); !strings.Contains(got, "QP fatal") {
			t.Errorf("said %q", got)
		}
	})
}

func TestWarnings(t *testing.T) {
	d := newTeller(Event{Kind: "port 1 went down", Serious: true}, Event{Kind: "port 1 came up"},
		Event{Kind: "CQ overrun", QPN: 1, Serious: true}, Event{Kind: "CQ overrun", QPN: 2, Serious: true})
	want := []string{"nic0 said in the meantime: port 1 went down", "nic0 said in the meantime: CQ overrun, 2 times"}
	if got := Warnings(d, time.Time{}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Warnings(d, time.Now()); len(got) > 0 {
		t.Errorf("of what came before: %q", fmt.Sprint(got))
	}
}
