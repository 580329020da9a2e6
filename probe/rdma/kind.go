package rdma

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/internal/cpu"
	"dpukv/internal/field"
	"dpukv/kvs"
	"dpukv/probe"
	"dpukv/results"
	"dpukv/verbs"
	"dpukv/verbs/nasty"
	"dpukv/verbs/perf"
	"dpukv/verbs/provider"
)

// The axes.
const (
	axisTest  = "test"
	axisOp    = "op"
	axisBytes = "bytes"
)

const (
	testLatency   = "latency"
	testBandwidth = "bandwidth"
)

// Kind is the row of the table of probes.
var Kind = probe.Kind{
	Name: "verbs", Title: "RDMA verbs",
	Axes: []probe.Axis{
		{
			Name: axisTest, Help: "What to measure.",
			Default: []string{testLatency},
			Codec:   field.Word([]string{testLatency, testBandwidth}),
		},
		{
			Name: axisOp, Help: "Operation.",
			Default: []string{string(perf.Write), string(perf.Read), string(perf.Send)},
			Codec: field.Word([]string{
				string(perf.Write), string(perf.Read), string(perf.Send),
			}),
		},
		{
			Name: axisBytes, Help: "Size of a message.",
			Default: []string{"2", "4096"}, Codec: field.Whole(1, perf.MaxBytes).Texts(),
		},
	},
	Figures: []probe.Figure{
		{Name: "p50_latency_ns", Title: "p50, µs", Factor: 1e-3},
		{Name: "mean_latency_ns", Title: "mean, µs", Factor: 1e-3},
		{Name: "p99_latency_ns", Title: "p99, µs", Factor: 1e-3},
		{Name: "p999_latency_ns", Title: "p99.9, µs", Factor: 1e-3},
		{Name: "bytes_per_s", Title: "GB/s", Factor: 1e-9},
		{Name: "messages_per_s", Title: "Mmsg/s", Factor: 1e-6},
		{Name: "client_cpus", Title: "client CPUs"},
		{Name: "server_cpus", Title: "server CPUs"},
	},
	Pair: true, Verbs: true,
	Threads: func(probe.Settings, bool) int { return 1 },
	Expect: func(_ probe.Settings, warmup, duration time.Duration) time.Duration {
		return warmup + duration + time.Second
	},
	ExamineDevice: examine,
	Serve:         serve, Measure: measure,
}

// open opens a device of the testbed. One that is an instrument for tests measures nothing.
func open(d *kvs.Device) (verbs.Device, error) {
	if strings.Contains(d.Name, nasty.Key) {
		return nil, fmt.Errorf("device: found %s, an instrument for tests, allowed: a device "+
			"without %s", d.Name, nasty.Key)
	}
	return provider.Open(d.Name, d.Options)
}

// examine opens a device and its port, as an end of a measurement does.
func examine(d kvs.Device) error {
	dev, err := open(&d)
	if err != nil {
		return err
	}
	if _, err = dev.Port(); err != nil {
		err = fmt.Errorf("device %s: %w", d.Name, err)
	}
	return errors.Join(err, dev.Close())
}

// config is the measurement of a task.
func config(task *probe.Task) perf.Config {
	kind := perf.Latency
	if task.Settings.Get(axisTest) == testBandwidth {
		kind = perf.Bandwidth
	}
	c := perf.Defaults(kind)
	c.Op, c.Sizes = perf.Op(task.Settings.Get(axisOp)), []int{task.Settings.Int(axisBytes)}
	c.Duration, c.Warmup = task.Duration, task.Warmup
	return c
}

// measure is the client.
func measure(ctx context.Context, task *probe.Task) (out *probe.Outcome, err error) {
	dev, err := open(&task.Device)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", task.Addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()

	out = &probe.Outcome{Transport: "rdma", CPUs: task.CPUs}
	var header perf.Header
	cpuNs, before := int64(0), verbs.PacketsOf(dev)
	began := func() {
		out.StartedAt, cpuNs = time.Now().UTC(), cpu.ProcessNs()
		if task.Began != nil {
			task.Began()
		}
	}
	measured := func(*perf.Point) { // before the ends close
		out.Duration, out.CPUNs = time.Since(out.StartedAt), cpu.ProcessNs()-cpuNs
	}
	report, err := perf.Run(ctx, dev, conn, config(task), perf.Observer{
		Began: began, Measured: measured, Connected: func(h *perf.Header) { header = *h },
	})
	if err != nil {
		return nil, err
	}
	out.Moved = kvs.Moved{Device: verbs.PacketsOf(dev)}.Since(&kvs.Moved{Device: before})
	describe(out, &header)
	return out, figures(out, &report.Points[0])
}

// describe tells which devices carried the messages.
func describe(out *probe.Outcome, h *perf.Header) {
	here, there := h.Local.Device, h.Peer.Device
	out.Provider, out.Emulated = here.Provider, here.Emulated || there.Emulated
	if there.Provider != here.Provider {
		out.Provider += " to " + there.Provider
	}
	out.Facts = map[string]string{
		"device": verbs.Printable(here.Name), "mtu": strconv.Itoa(h.Local.MTU),
		"inline_bytes": strconv.Itoa(h.Inline), "connection": h.Connection,
		"link": fmt.Sprint(h.Local.LinkLayer),
	}
	if h.Kind == perf.Bandwidth {
		out.Facts["tx_depth"] = strconv.Itoa(h.TxDepth)
	}
}

// figures takes a point's figures.
func figures(out *probe.Outcome, p *perf.Point) error {
	out.Warnings = append(out.Warnings, p.Warnings...)
	if r := p.Bandwidth; r != nil {
		out.Figures = map[string]float64{
			"bytes_per_s": r.AverageMBs * (1 << 20), "messages_per_s": r.MsgMpps * 1e6,
		}
		return nil
	}
	h := p.Histogram
	if h == nil || h.TotalCount() == 0 {
		return errors.New("no message was answered within the duration: lengthen it")
	}
	out.Figures = probe.Percentiles(h)
	out.Intervals = []results.Interval{{
		Tag: results.TagActual, Start: out.StartedAt, End: out.StartedAt.Add(out.Duration),
		Histogram: hdrhistogram.Import(h.Export()),
	}}
	return nil
}
