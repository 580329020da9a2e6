package report

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
	"strings"

	"dpukv/hashbench/result"
)

// WriteBench writes a report as text for benchstat: the Go benchmark format, with a line for each
// round, less the latency loop's cost. benchstat compares two such files, and computes medians with
// intervals of its own.
//
// See https://go.dev/design/14313-benchmark-format.
func WriteBench(w io.Writer, r *result.Report) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "goos: %s\ngoarch: %s\npkg: dpukv/hashbench\n", runtime.GOOS,
		goArch(r.Machine.Arch))
	if core := r.Core(); core != "" {
		fmt.Fprintf(b, "cpu: %s\n", core)
	}
	for _, x := range r.Results {
		for _, ns := range x.RoundsNs {
			net := ns - x.OverheadNs
			fmt.Fprintf(b, "BenchmarkHash/%s %d %.6g ns/op", benchName(&x), x.Calls, net)
			if x.Mode == result.Throughput && net > 0 {
				fmt.Fprintf(b, " %.5g MB/s", x.MeanBytes()/net*1e3)
			}
			b.WriteByte('\n')
		}
	}
	return b.Flush()
}

// benchName is the function and the case as benchstat's key=value pairs.
func benchName(r *result.Result) string {
	length := fmt.Sprint(r.MinBytes)
	if r.Random() {
		// a hyphen would be the number of CPUs
		length = fmt.Sprintf("%dto%d", r.MinBytes, r.MaxBytes)
	}
	return fmt.Sprintf("function=%s/mode=%s/bytes=%s/align=%d",
		strings.ReplaceAll(r.Function, "-", "_"), r.Mode, length, r.Align)
}

// goArch is Go's name of the architecture that uname reports.
func goArch(machine string) string {
	switch machine {
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	}
	return machine
}
