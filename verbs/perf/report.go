package perf

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/verbs"
)

// Header describes the two ends of a measurement and its settings.
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

// Point is the measurement of one size. A latency test sets Latency, any other test Bandwidth.
type Point struct {
	Bytes     int      `json:"bytes"`
	Iters     int      `json:"iterations"`
	Latency   *Micros  `json:"latency_usec,omitempty"`
	Bandwidth *Rates   `json:"bandwidth,omitempty"`
	Arrived   *int     `json:"arrived,omitempty"` // SEND bandwidth only
	Warnings  []string `json:"warnings,omitempty"`
	// Histogram has the latencies of a test with a duration, in nanoseconds.
	Histogram *hdrhistogram.Histogram `json:"-"`
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

// Rates are the results of a bandwidth test.
type Rates struct {
	PeakMBs    float64 `json:"peak_mb_s"`
	AverageMBs float64 `json:"average_mb_s"`
	MsgMpps    float64 `json:"msg_rate_mpps"`
}

// Report contains a whole run.
type Report struct {
	Header
	Points []Point `json:"points"`
}

// Observer follows a run. Functions may be nil.
type Observer struct {
	Connected func(*Header)
	Measured  func(*Point)
	Began     func() // at the client, when a point's warm-up is over
}
