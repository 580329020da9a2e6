package perf

import (
	"dpukv/verbs"
)

// Header says between whom, and how, something was measured.
type Header struct {
	Kind       Kind           `json:"kind"`
	Op         Op             `json:"op"`
	Connection string         `json:"connection"`
	QPs        int            `json:"qps"`
	TxDepth    int            `json:"tx_depth"`
	RxDepth    int            `json:"rx_depth"`
	PostList   int            `json:"post_list"`
	CQMod      int            `json:"cq_mod"`
	Inline     int            `json:"inline_bytes"`
	Local      verbs.Endpoint `json:"local"`
	Peer       verbs.Endpoint `json:"peer"`
}

// Point is the measurement of one size. Of a latency test it has Latency, else Bandwidth.
type Point struct {
	Bytes     int      `json:"bytes"`
	Iters     int      `json:"iterations"`
	Latency   *Micros  `json:"latency_usec,omitempty"`
	Bandwidth *Rates   `json:"bandwidth,omitempty"`
	Arrived   *int     `json:"arrived,omitempty"` // of a SEND bandwidth test
	Warnings  []string `json:"warnings,omitempty"`
}

// Micros are latencies in microseconds.
type Micros struct {
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Typical float64 `json:"typical"` // the median
	Avg     float64 `json:"avg"`
	Stdev   float64 `json:"stdev"`
	P99     float64 `json:"p99"`
	P999    float64 `json:"p999"`
}

// Rates are those of a bandwidth test.
type Rates struct {
	PeakMBs    float64 `json:"peak_mb_s"`
	AverageMBs float64 `json:"average_mb_s"`
	MsgMpps    float64 `json:"msg_rate_mpps"`
}

// Report is all of a run.
type Report struct {
	Header
	Points []Point `json:"points"`
}

// Observer hears of a run as it goes. Functions may be nil.
type Observer struct {
	Connected func(*Header)
	Measured  func(*Point)
}
