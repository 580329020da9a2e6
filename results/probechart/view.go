package probechart

import (
	"slices"

	"dpukv/results"
)

// view is one chart of a kind of probe.
type view struct {
	stem, title string
	measure     string
	tests       []string // values of the setting "test"
	along       []along  // candidates of the x axis: the first that varies, else the first
	y           []figureAxis
	panel       string // setting with a panel for each of its values; "": one panel
}

// along is a setting that may be along the x axis, or a figure that follows from that setting.
type along struct {
	setting, figure string // figure "": the setting itself
	title           string
	quantity        Quantity
	log             bool
}

// figureAxis is a figure that may be along the y axis.
type figureAxis struct {
	name, title string
	quantity    Quantity
	log         bool
	suffix      string // of the chart's stem
}

var (
	blocks   = along{setting: "block_bytes", title: "block size", quantity: Size, log: true}
	messages = along{setting: "bytes", title: "message size", quantity: Size, log: true}
)

// views are the charts of all kinds, in the order in which they are drawn.
func views(metrics []*results.Metric) []view {
	return append(memoryViews(), pathViews(metrics)...)
}

// viewOf is the chart with a stem.
func viewOf(stem string) view {
	all := views(nil)
	return all[slices.IndexFunc(all, func(v view) bool { return v.stem == stem })]
}

func memoryViews() []view {
	latency := []figureAxis{{name: "latency_ns", title: "latency", quantity: Time, log: true}}
	return []view{
		{
			stem: "memory-latency", title: "memory: latency of a dependent load",
			measure: "memory", tests: []string{"latency"}, along: []along{blocks}, y: latency,
		},
		{
			stem: "memory-loaded", title: "memory: latency of a dependent load under load",
			measure: "memory", tests: []string{"loaded"}, y: []figureAxis{
				{name: "latency_ns", title: "latency", quantity: Time},
			},
			along: []along{{
				setting: "load", figure: "load_bytes_per_s", title: "bandwidth of the load",
				quantity: MemoryRate,
			}},
		},
		{
			stem: "memory-kvs", title: "memory: access pattern of a key-value store, per operation",
			measure: "memory", tests: []string{"kvs"}, along: []along{blocks}, y: latency,
		},
		{
			stem: "memory-bandwidth", title: "memory: bandwidth of STREAM's kernels",
			measure: "memory", tests: kernels, panel: "test", y: []figureAxis{
				{name: "bytes_per_s", title: "bandwidth", quantity: MemoryRate},
			},
			along: []along{{setting: "threads", title: "threads", quantity: Count}},
		},
	}
}

func pathViews(metrics []*results.Metric) []view {
	rate := along{setting: "rate", title: "offered rate", quantity: Rate}
	connections := along{setting: "connections", title: "connections", quantity: Count}
	link := []figureAxis{{name: "bytes_per_s", title: "bandwidth", quantity: LinkRate}}
	return []view{
		{
			stem: "network-bandwidth", title: "network: TCP bandwidth",
			measure: "network", tests: []string{"stream"}, y: link,
			along: []along{{setting: "cores", title: "cores", quantity: Count}},
		},
		{
			stem: "network-latency", title: "network: TCP request and response",
			measure: "network", tests: []string{"rr"},
			along: []along{messages, connections, rate}, y: latencies(metrics, true),
		},
		{
			stem: "verbs-latency", title: "RDMA: latency of verbs", measure: "verbs", panel: "op",
			tests: []string{"latency"}, along: []along{messages}, y: latencies(metrics, true),
		},
		{
			stem: "verbs-bandwidth", title: "RDMA: bandwidth of verbs", measure: "verbs",
			panel: "op", tests: []string{"bandwidth"}, along: []along{messages}, y: link,
		},
		{
			stem: "dma-latency", title: "DMA: latency of a copy", measure: "dma", panel: "op",
			tests: []string{"latency"}, along: []along{messages}, y: latencies(metrics, true),
		},
		{
			stem: "dma-bandwidth", title: "DMA: bandwidth of copies", measure: "dma", panel: "op",
			tests: []string{"throughput"}, along: []along{messages}, y: []figureAxis{
				{name: "bytes_per_s", title: "bandwidth", quantity: MemoryRate},
			},
		},
	}
}

// latencies are the figures of a latency distribution.
func latencies(metrics []*results.Metric, log bool) []figureAxis {
	var list []figureAxis
	for _, m := range metrics {
		m = m.Intended()
		list = append(list, figureAxis{
			name: m.ProbeName(), title: m.Title, quantity: Time,
			suffix: "-" + m.Short, log: log,
		})
	}
	return list
}

// kernels are STREAM's, in its order.
var kernels = []string{"copy", "scale", "add", "triad"}
