package bench

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/probe"
	"dpukv/probe/network/rr"
)

// BenchmarkRoundTrip is a closed loop of one connection beside a ping-pong in C, on the same CPUs.
// The two take turns. The ratio is the median of the turns' ratios. With both ends on one CPU, no
// CPU falls asleep between messages: the ratio shows the programs, and not the kernel's idle states.
func BenchmarkRoundTrip(b *testing.B) {
	const rounds, period = 5, 200 * time.Millisecond
	yardstick := compileC(b, "pingpong")
	for _, of := range []struct{ size, server int }{
		{1, serverCPU},
		{1024, serverCPU},
		{rr.MaxBytes, serverCPU},
		{1, clientCPU},
		{rr.MaxBytes, clientCPU},
	} {
		b.Run(fmt.Sprintf("bytes=%d/cpus=%d,%d", of.size, clientCPU, of.server), func(b *testing.B) {
			found := figures{}
			for range rounds {
				own := roundTripNs(b, of.size, of.server, period)
				bare := pingPongNs(b, yardstick, of.size, of.server, period)
				found.add("rr-ns", own)
				found.add("c-ns", bare)
				found.add("ratio", own/bare)
			}
			found.report(b)
		})
	}
}

// roundTripNs is the time of a transaction, with its check.
func roundTripNs(b *testing.B, size, server int, period time.Duration) float64 {
	job := probe.Task{
		Settings: probe.NewSettings([]probe.Setting{{Name: "bytes", Value: strconv.Itoa(size)}}),
		CPUs:     []int{server}, Listen: "127.0.0.1:0", Warmup: period / 5, Duration: period,
	}
	s := must.Get(rr.Serve(b.Context(), &job))(b)
	defer s.Close()
	job.CPUs, job.Addr = []int{clientCPU}, s.Addr()
	o := must.Get(rr.Measure(b.Context(), &job))(b)
	return 1e9 / o.Figures["transactions_per_s"]
}

func pingPongNs(b *testing.B, program string, size, server int, period time.Duration) float64 {
	out := must.Get(exec.CommandContext(b.Context(), program, strconv.Itoa(size),
		strconv.FormatFloat(period.Seconds(), 'f', -1, 64), strconv.Itoa(clientCPU),
		strconv.Itoa(server)).Output())(b)
	return must.Get(strconv.ParseFloat(strings.TrimSpace(string(out)), 64))(b)
}
