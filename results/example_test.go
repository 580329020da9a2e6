package results_test

import (
	"fmt"
	"log"

	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
)

// A run folder is read point by point. Points that failed say why.
func Example() {
	run, err := runfolder.Open("testdata/run-2026")
	if err != nil {
		log.Fatal(err)
	}
	points, bad, err := run.Points()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(points), "points,", len(bad), "lines that can't be read")
	for _, p := range points {
		fmt.Printf("%d client threads: %s, %.0f ops/s, p99 %d ns\n",
			p.ClientThreads, p.Status, p.ThroughputOps, p.P99Ns)
	}
	// Output:
	// 4 points, 0 lines that can't be read
	// 1 client threads: ok, 20000 ops/s, p99 54984703 ns
	// 2 client threads: ok, 1333600 ops/s, p99 387327 ns
	// 2 client threads: ok, 20000 ops/s, p99 14565375 ns
	// 1 client threads: failed, 0 ops/s, p99 0 ns
}

// Charts sorts points into curves: one chart a store and GET share, one line a configuration.
func ExampleCharts() {
	for _, chart := range results.Charts(resultstest.OpenLoopPoints()) {
		fmt.Println(chart.Title)
		for _, line := range chart.Lines {
			for _, mark := range line.Marks {
				fmt.Printf("%s %s: %.2f Mops\n", line.Axis.Title(), mark.AxisValue, mark.Throughput().Median/1e6)
			}
		}
	}
	// Output:
	// MICA, 95 % GET, 8 B keys, 8 B values, batch 64
	// offered Mops 0.1: 0.10 Mops
	// offered Mops 0.5: 0.50 Mops
	// offered Mops 1: 0.91 Mops
}

// The knee is the mark of the greatest throughput over latency.
func ExampleLine_Knee() {
	metrics, err := results.ParseLatencyMetrics("p99")
	if err != nil {
		log.Fatal(err)
	}
	line := results.Lines(resultstest.Curve(2e6, []int{1, 2, 4, 8, 16}, 3))[0]
	knee, found := line.Knee(metrics[0])
	mark := &line.Marks[knee.At]
	fmt.Println(found, mark.AxisValue, line.Axis.Title())
	fmt.Printf("%.2f of at most %.2f Mops\n", mark.Throughput().Median/1e6, line.Peak().Throughput().Median/1e6)
	fmt.Println("the repeats also allow", line.Marks[knee.First].AxisValue)
	// Output:
	// true 8 client threads
	// 1.76 of at most 1.99 Mops
	// the repeats also allow 4
}

// Within finds the highest throughput that keeps a service level.
func ExampleLine_Within() {
	bound, err := results.ParseBound("p99=350us")
	if err != nil {
		log.Fatal(err)
	}
	line := results.Lines(resultstest.Curve(2e6, []int{1, 2, 4, 8, 16}, 3))[0]
	within := line.Within(bound)
	fmt.Printf("%v: %s %s\n", bound, within.Mark.AxisValue, line.Axis.Title())
	// Output:
	// p99 latency ≤ 350 µs: 2 client threads
}
