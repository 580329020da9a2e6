package claims

import (
	"fmt"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// studied are repeats of a probe with the study's figure.
func studied(measure, node, submode, settings, figure string, x float64) (list []results.Point) {
	for repeat := range minRepeats {
		list = append(list, resultstest.StudyProbe(measure, node, settings, map[string]float64{figure: x},
			func(p *results.Point) {
				if p.Repeat, p.Submode = repeat+1, submode; submode == "" {
					p.ServerNode = results.Node{Node: node, Kind: node}
				}
			}))
	}
	return list
}

// studyProbes have the figures of §3 for one generation.
func studyProbes(generation string) (list []results.Point) {
	g := map[string]int{"bf1": 0, "bf2": 1, "bf3": 2}[generation]
	add := func(measure, node, submode, settings, figure string, x float64) {
		list = append(list, studied(measure, node, submode, settings, figure, x)...)
	}
	for submode, x := range map[string][3]float64{ // in 10^9 bytes a second
		"sm1": {2.4, 2.448, 9.55}, "sm2": {1.28, 2.82, 3.95}, "sm3": {5, 7.6, 7.5},
		"sm4": {10, 9.88, 9.75}, "sm5": {10, 9.88, 9.75},
	} {
		add("network", "CH-SH", submode, "test=stream cores=1", "bytes_per_s", x[g]*1e9)
	}
	for op, over := range map[string][3]float64{
		"read": {1.37, 1.3, 1.3}, "write": {1.22, 1.23, 1.28}, "send": {1.33, 1.24, 1.26},
	} {
		settings := "test=latency bytes=64 op=" + op
		add("verbs", "CH-SH", "off-path", settings, "p50_latency_ns", 2000)
		add("verbs", "CH-SH", "sm4", settings, "p50_latency_ns", 2000*over[g])
	}
	for _, bytes := range []int{2, 64, 1024, 4096, 65536, 262144, 524288, 1048576, 2097152} {
		ns := 2000 + float64(bytes)/10
		if generation == "bf3" && bytes < 256<<10 {
			ns *= 0.9
		}
		add("verbs", "CD-SH", "off-path", fmt.Sprintf("test=latency op=write bytes=%d", bytes), "p50_latency_ns", ns)
	}
	const latency = "test=latency chains=1 pages=%s block_bytes=%d"
	for mb, x := range map[int][3]float64{ // in ns; the host has 50 ns at 64 MB
		1: {10, 10, 73}, 2: {40, 40, 84}, 4: {90, 90, 144}, 64: {352, 220, 164.5},
	} {
		add("memory", "dpu", "", fmt.Sprintf(latency, "thp", mb<<20), "beyond_l1_ns", x[g])
	}
	add("memory", "dpu", "", fmt.Sprintf(latency, "4k", 64<<20), "beyond_l1_ns",
		[]float64{352 * 1.13, 220 * 1.12, 164.5 * 1.11}[g])
	add("memory", "host", "", fmt.Sprintf(latency, "thp", 64<<20), "beyond_l1_ns", 50)
	for kernel, x := range map[string][2][4]float64{ // GB/s of one core and of all: host, BF-1, BF-2, BF-3
		"copy":  {{8.7, 2.25, 2.09, 4.98}, {22.3, 6.06, 6.8, 25.77}},
		"triad": {{11.86, 2.84, 2.98, 7.20}, {24.37, 7.79, 7.7, 27.13}},
	} {
		for i, threads := range []string{"1", "all"} {
			settings := "code=study test=" + kernel + " threads=" + threads
			add("memory", "host", "", settings, "bytes_per_s", x[i][0]*1e9)
			add("memory", "dpu", "", settings, "bytes_per_s", x[i][g+1]*1e9)
		}
	}
	if g > 0 {
		list = append(list, studyDMA(g-1)...)
	}
	return list
}

// studyDMA has the figures of §3.3 for BF-2 (0) or BF-3 (1).
func studyDMA(g int) (list []results.Point) {
	const settings = "engine=mlx5 test=%s completion=%s op=%s bytes=%d"
	add := func(kind, test, completion, op string, bytes int, figure string, x float64) {
		list = append(list, studied("dma", kind, "", fmt.Sprintf(settings, test, completion, op, bytes), figure, x)...)
	}
	slower := map[string][2]float64{ // BF-3's polling over BF-2's, on host and DPU
		"read": {1.3, 1.3}, "write": {1.16, 1.17},
	}
	less := map[string]float64{"read": 0.83, "write": 0.8}
	for _, op := range []string{"read", "write"} {
		for _, bytes := range []int{64 << 10, 1 << 20, 2 << 20} {
			host, dpu := 10.0, 30.0
			if g == 1 {
				host, dpu = host*slower[op][0], dpu*slower[op][1]
			}
			event := host * []float64{8, 6.5}[g]
			add("host", "latency", "poll", op, bytes, "mean_latency_ns", host)
			add("dpu", "latency", "poll", op, bytes, "mean_latency_ns", dpu)
			add("host", "latency", "event", op, bytes, "mean_latency_ns", event)
			add("dpu", "latency", "event", op, bytes, "mean_latency_ns", event*[]float64{3, 1.74}[g])
		}
		for _, bytes := range []int{2, 64, 1024} {
			poll := float64(bytes) * 4e6
			if g == 1 {
				poll *= less[op]
			}
			over := []float64{5.8, 3.5}[g]
			event := poll / over
			add("dpu", "throughput", "poll", op, bytes, "bytes_per_s", poll)
			add("dpu", "throughput", "event", op, bytes, "bytes_per_s", event)
			event *= []float64{2.2, 4.8}[g]
			add("host", "throughput", "event", op, bytes, "bytes_per_s", event)
			add("host", "throughput", "poll", op, bytes, "bytes_per_s", event*over)
		}
		for kind, share := range map[string]float64{"dpu": []float64{0.533, 0.45}[g], "host": 0.46} {
			add(kind, "latency", "event", op, 2, "core_share", share)
			add(kind, "latency", "event", op, 8<<20, "core_share", 0.012)
			add(kind, "latency", "poll", op, 2, "core_share", 1)
		}
	}
	return list
}
