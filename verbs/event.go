package verbs

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Event is an asynchronous event of a device: no call caused it.
type Event struct {
	At   time.Time // when the provider received it
	Kind string    // in words: "port 1 went down", "CQ overrun", "QP fatal"
	QPN  uint32    // number of the QP it concerns, or 0
	Err  error     // details, or nil
	// Serious events break or spoil the current work: a dead port, a QP in error, lost completions.
	Serious bool
}

// text describes the event, and how long before now it came.
func (e *Event) text(now time.Time) string {
	text := e.Kind
	if e.QPN != 0 {
		text += fmt.Sprintf(" (QP %#x)", e.QPN)
	}
	text += fmt.Sprintf(" %.1f s ago", now.Sub(e.At).Seconds())
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// maxEvents is the number of events that a device keeps.
const maxEvents = 64

// EventLog keeps the last events of a device, for any number of readers. The zero value is empty.
// It is for providers; users of a device call [Device.Events].
type EventLog struct {
	mu   sync.Mutex
	last []Event
}

// Add records an event with the current time. It displaces the oldest event.
func (l *EventLog) Add(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.At = time.Now()
	if len(l.last) == maxEvents {
		l.last = slices.Delete(l.last, 0, 1)
	}
	l.last = append(l.last, e)
}

// Since returns the events from a time on, the oldest first.
func (l *EventLog) Since(begin time.Time) []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := slices.IndexFunc(l.last, func(e Event) bool { return !e.At.Before(begin) })
	if first < 0 {
		return nil
	}
	return slices.Clone(l.last[first:])
}

const (
	// straggle is the longest delay of an event behind the failure that it explains. A NIC's events
	// take a separate path.
	straggle = 20 * time.Millisecond
	// maxEventTexts is the number of events that an error names.
	maxEventTexts = 3
)

// EventText describes a device's last few events since a time, for an error, the newest first. It
// is empty if there were none.
func EventText(d Device, since time.Time) string {
	events := d.Events(since)
	if len(events) == 0 {
		time.Sleep(straggle)
		events = d.Events(since)
	}
	now := time.Now()
	var texts []string
	for _, e := range slices.Backward(events) {
		if len(texts) == maxEventTexts {
			texts = append(texts, fmt.Sprintf("and %d more before", len(events)-maxEventTexts))
			break
		}
		texts = append(texts, e.text(now))
	}
	return strings.Join(texts, "; ")
}

// Explain adds the device's events since a time to an error, if there are any.
func Explain(err error, d Device, since time.Time) error {
	if err == nil {
		return nil
	}
	if said := EventText(d, since); said != "" {
		return fmt.Errorf("%w; the device said: %s", err, said)
	}
	return err
}

// Warnings describes the serious events since a time, each kind once. They belong beside the
// figures of a successful run. Each begins with the device's name.
func Warnings(d Device, since time.Time) []string {
	var kinds []string
	times := map[string]int{}
	for _, e := range d.Events(since) {
		if !e.Serious {
			continue
		}
		if times[e.Kind]++; times[e.Kind] == 1 {
			kinds = append(kinds, e.Kind)
		}
	}
	for i, kind := range kinds {
		kinds[i] = d.Info().Name + " said in the meantime: " + kind
		if n := times[kind]; n > 1 {
			kinds[i] += fmt.Sprintf(", %d times", n)
		}
	}
	return kinds
}
