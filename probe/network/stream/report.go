package stream

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"dpukv/internal/foreign"
)

// maxReport is the longest report that is read. One of one connection has some kilobytes.
const maxReport = 1 << 20

// report is the part of iperf3's JSON that is used.
type report struct {
	Error string `json:"error"`
	Start struct {
		Version string `json:"version"`
		MSS     int64  `json:"tcp_mss_default"`
		Test    struct {
			Protocol string `json:"protocol"`
			Streams  int    `json:"num_streams"`
			Write    int    `json:"blksize"`
			Reverse  int    `json:"reverse"`
		} `json:"test_start"`
	} `json:"start"`
	Intervals []struct {
		Streams []struct {
			PMTU int64 `json:"pmtu"`
		} `json:"streams"`
	} `json:"intervals"`
	End struct {
		Sent struct {
			Retransmits *int64 `json:"retransmits"`
		} `json:"sum_sent"`
		Received struct {
			Seconds float64 `json:"seconds"`
			Bytes   int64   `json:"bytes"`
		} `json:"sum_received"`
		Congestion         string `json:"sender_tcp_congestion"`
		ReceiverCongestion string `json:"receiver_tcp_congestion"`
	} `json:"end"`
}

// parseReport reads a report, and checks its numbers against what was asked.
func parseReport(text []byte, o *options, period time.Duration) (*report, error) {
	if len(text) > maxReport {
		return nil, fmt.Errorf("report: found %d bytes, allowed: up to %d", len(text), maxReport)
	}
	r := &report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("report: found no JSON: %w; it ends with %q", err,
			text[max(0, len(text)-80):])
	}
	if r.Error != "" {
		return nil, errors.New(foreign.Reason(r.Error))
	}
	return r, r.check(o, period)
}

// Parts by which a period may differ from what was asked. A busy machine runs iperf3's timer late.
// The bandwidth counts the time that was.
const (
	tolerance  = 0.5
	noteworthy = 0.1 // with a warning
)

// off is the part by which the receiver's period differs from what was asked.
func (r *report) off(period time.Duration) float64 {
	return math.Abs(r.End.Received.Seconds-period.Seconds()) / period.Seconds()
}

func (r *report) check(o *options, period time.Duration) error {
	t, got := &r.Start.Test, &r.End.Received
	wrong := func(what string, found, allowed any) error {
		return fmt.Errorf("report: %s: found %v, allowed: %v", what, found, allowed)
	}
	switch {
	case t.Protocol != "TCP":
		return wrong("protocol", fmt.Sprintf("%.20q", t.Protocol), "TCP")
	case t.Streams != 1:
		return wrong("num_streams", t.Streams, 1)
	case t.Write != o.write:
		return wrong("blksize", t.Write, o.write)
	case (t.Reverse != 0) != (o.direction == down):
		return wrong("reverse", t.Reverse, "the direction "+o.direction)
	case !(r.off(period) <= tolerance):
		return wrong("seconds", got.Seconds, fmt.Sprintf("%v ± %v %%", period.Seconds(),
			100*tolerance))
	case got.Bytes <= 0:
		return wrong("bytes", got.Bytes, "1 or more")
	case r.End.Sent.Retransmits != nil && *r.End.Sent.Retransmits < 0:
		return wrong("retransmits", *r.End.Sent.Retransmits, "0 or more")
	}
	return nil
}

// bandwidth is what was received, in bytes a second.
func (r *report) bandwidth() float64 {
	return float64(r.End.Received.Bytes) / r.End.Received.Seconds
}

// pmtu is the largest packet of the path; 0: unknown.
func (r *report) pmtu() int64 {
	for _, i := range r.Intervals {
		for _, s := range i.Streams {
			if s.PMTU > 0 {
				return s.PMTU
			}
		}
	}
	return 0
}
