package resultstest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dpukv/results"
)

// StudyNodes are lines of env.jsonl for [StudyProbes].
func StudyNodes() []any {
	return []any{
		map[string]any{"node": "hostB", "kind": "host", "cpus": 12, "cpu_model": "Xeon E-2136"},
		map[string]any{
			"node": "dpuB", "kind": "dpu", "of": "hostB", "generation": "bf2", "cpus": 8,
		},
	}
}

// StudyProbes are probes of all kinds, as one run of two repeats has them: the memory of hostB and
// dpuB, and the paths CH-SH and CH-SD. The verbs are emulated.
func StudyProbes() []results.Point {
	return slices.Concat(memoryProbes(), networkProbes(), verbsProbes(), dmaProbes())
}

// StudyProbe is a probe with settings such as "test=latency block_bytes=1024".
func StudyProbe(
	kind, placement, settings string, figures map[string]float64, edits ...func(*results.Point),
) results.Point {
	p := results.Point{
		Identity: results.Identity{Schema: results.SchemaVersion, Status: results.StatusOK},
		Asked: results.Asked{
			Measure: kind, Settings: map[string]string{}, Placement: placement, Repeat: 1,
		},
		Probed: results.Probed{Figures: figures},
		Counted: results.Counted{
			StartedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), DurationNs: 1e9,
		},
	}
	for word := range strings.FieldsSeq(settings) {
		name, value, _ := strings.Cut(word, "=")
		p.Settings[name] = value
	}
	for _, edit := range edits {
		edit(&p)
	}
	if p.ID == "" {
		id := strings.NewReplacer(" ", "-", "=", "", "_", "").Replace(settings)
		p.ID = strings.Trim(fmt.Sprintf("%s-%s-%s-%s-r%d", kind, placement, p.Submode, id,
			p.Repeat), "-")
	}
	return p
}

// twice makes two repeats, whose figures differ by four per cent.
func twice(
	kind, placement, settings string, figures map[string]float64, edits ...func(*results.Point),
) []results.Point {
	var list []results.Point
	for repeat, factor := range []float64{0.98, 1.02} {
		own := maps.Clone(figures)
		for name := range own {
			own[name] = math.Round(own[name]*factor*1e3) / 1e3
		}
		list = append(list, StudyProbe(kind, placement, settings, own, append(
			[]func(*results.Point){func(p *results.Point) { p.Repeat = repeat + 1 }}, edits...)...))
	}
	return list
}

func memoryProbes() (list []results.Point) {
	latencies := map[string][]float64{ // at 4 KiB, 1 MiB and 64 MiB, without huge pages
		"hostB": {1.3, 12, 75}, "dpuB": {1.6, 9, 310},
	}
	copies := map[string][2]float64{"hostB": {8.7e9, 22.3e9}, "dpuB": {2.09e9, 6.8e9}}
	for i, node := range []string{"hostB", "dpuB"} {
		for j, block := range []int{4 << 10, 1 << 20, 64 << 20} {
			for _, pages := range []string{"4k", "thp"} {
				ns := latencies[node][j]
				if pages == "thp" {
					ns /= 1.1
				}
				list = append(list, twice("memory", node,
					fmt.Sprintf("test=latency block_bytes=%d pages=%s chains=1", block, pages),
					map[string]float64{
						"latency_ns": ns, "beyond_l1_ns": max(0, ns-latencies[node][0]),
					})...)
			}
		}
		for _, batch := range []int{1, 64} {
			list = append(list, twice("memory", node,
				fmt.Sprintf("test=kvs block_bytes=%d pages=thp batch=%d", 16<<20, batch),
				map[string]float64{
					"latency_ns": latencies[node][2] * 2 / math.Sqrt(float64(batch)),
				})...)
		}
		for _, load := range []string{"0", "0.5", "1"} {
			share, _ := strconv.ParseFloat(load, 64)
			list = append(list, twice("memory", node,
				"test=loaded block_bytes=67108864 pages=thp load="+load, map[string]float64{
					"latency_ns":       latencies[node][2] * (1 + share),
					"load_bytes_per_s": share * copies[node][1],
				})...)
		}
		for j, kernel := range []string{"copy", "scale", "add", "triad"} {
			for k, threads := range []int{1, 12 - 4*i} {
				list = append(list, twice("memory", node,
					fmt.Sprintf("test=%s threads=%d code=study array_bytes=268435456", kernel,
						threads),
					map[string]float64{"bytes_per_s": copies[node][k] * (1 + 0.1*float64(j))})...)
			}
		}
	}
	return list
}

func networkProbes() (list []results.Point) {
	for i, submode := range []string{"sm1", "sm3", "sm5"} {
		under := func(p *results.Point) { p.Submode, p.Transport = submode, "tcp" }
		for _, cores := range []int{1, 2, 4} {
			rate := 4e9 * float64(i+1) * (1 - math.Exp(-float64(cores)/2))
			for _, direction := range []string{"up", "down"} {
				list = append(list, twice("network", "CH-SH", fmt.Sprintf(
					"test=stream cores=%d write_bytes=131072 direction=%s", cores, direction),
					map[string]float64{"bytes_per_s": rate, "retransmits": 0}, under)...)
			}
		}
		for _, bytes := range []int{64, 1024, 16384} {
			ns := (60e3 + float64(bytes)) / float64(i+1)
			list = append(list, twice("network", "CH-SH",
				fmt.Sprintf("test=rr bytes=%d connections=1 rate=0", bytes), distribution(ns),
				under)...)
		}
	}
	return list
}

func verbsProbes() (list []results.Point) {
	for i, placement := range []string{"CH-SH", "CH-SD"} {
		emulated := func(p *results.Point) {
			p.Submode, p.Transport, p.Provider, p.Emulated = "off-path", "rdma", "softroce", true
		}
		for _, op := range []string{"write", "read", "send"} {
			for _, bytes := range []int{2, 1024, 65536, 1 << 20} {
				ns := 2e3*(1+0.3*float64(i)) + float64(bytes)/10
				list = append(list, twice("verbs", placement,
					fmt.Sprintf("test=latency op=%s bytes=%d", op, bytes), distribution(ns),
					emulated)...)
			}
		}
	}
	return list
}

func dmaProbes() (list []results.Point) {
	for _, bytes := range []int{64, 4096, 1 << 20} {
		list = append(list, twice("dma", "dpuB", fmt.Sprintf(
			"test=latency engine=cpu op=write completion=poll bytes=%d batch=1", bytes),
			distribution(300+float64(bytes)/8),
			func(p *results.Point) {
				p.Warnings = results.ReadWarnings("the CPU copies: no DMA engine")
			})...)
	}
	return list
}

func distribution(p50 float64) map[string]float64 {
	return map[string]float64{
		"mean_latency_ns": p50 * 1.1, "p50_latency_ns": p50, "p99_latency_ns": p50 * 2,
		"p999_latency_ns": p50 * 4,
	}
}
