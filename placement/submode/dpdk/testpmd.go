package dpdk

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/process"
	"dpukv/placement/submode/step"
)

// Testpmd is DPDK's forwarder between two ports. It reads commands from the pipe "in" in its folder
// and answers in testpmd.log.
type Testpmd struct {
	Dir    string
	Prefix string // of its files, by which it is known
	Ports  []string
	// Filter is work on each packet that looks like a request.
	Filter   *packetfilter.Filter
	Requests *packetfilter.Requests
	// OnCard says that it is a BlueField's own, and that its memory lies on huge pages.
	OnCard bool
}

// TestpmdPID is the file in the folder with its PID.
const TestpmdPID = "testpmd.pid"

// startTimeout bounds a start on a slow machine.
const startTimeout = 30 * time.Second

func (t *Testpmd) process() process.Process {
	return process.Process{Dir: t.Dir, File: TestpmdPID, Mark: t.FilePrefix()}
}

// FilePrefix returns the argument that separates its files from those of other DPDK processes.
func (t *Testpmd) FilePrefix() string { return "--file-prefix=" + t.Prefix }

// Start starts testpmd in the background, and gives it the filter. testpmd ends with its standard
// input, so it opens both ends of the pipe.
func (t *Testpmd) Start(argv []string) []step.Step {
	begin := ""
	if t.OnCard {
		begin = cardPath + inMemory
	}
	return append([]step.Step{{
		Purpose: "DPDK's forwarder",
		Run: step.Shell(`
cd "$1"
mkfifo in
shift
`+begin+`RUNTIME_DIRECTORY=$PWD setsid stdbuf --output=L "$@" <>in >testpmd.log 2>&1 &
echo $! >testpmd.pid`, append([]string{t.Dir}, argv...)...),
		Undo: t.process().Stop(),
	}}, t.filter()...)
}

// CheckFilter refuses filters that an eBPF program of testpmd cannot do.
func CheckFilter(f *packetfilter.Filter) error {
	if f.CountOpcodes {
		return errors.New("librte_bpf gives a program no memory to count in; " +
			"allowed: drop-client, drop-key-hash")
	}
	return nil
}

// FilterTitle describes testpmd's filter mechanism.
const FilterTitle = "its filter an eBPF program of librte_bpf, compiled (JIT)"

// filterObject is the file in the folder with the filter's program.
const filterObject = "filter.o"

// filter gives testpmd an eBPF program that runs on each incoming packet.
func (t *Testpmd) filter() []step.Step {
	if t.Filter.None() {
		return nil
	}
	object, _ := t.Filter.Object(t.Requests) // the caller has made it once already
	var load strings.Builder
	for port := range t.Ports {
		fmt.Fprintf(&load, "bpf-load rx %d 0 J %s/%s\n", port, t.Dir, filterObject)
	}
	return []step.Step{
		{
			Purpose: "the filter's eBPF program: " + t.Filter.String(),
			Run: step.Shell(`printf %s "$2" | base64 -d >"$1"`, t.Dir+"/"+filterObject,
				base64.StdEncoding.EncodeToString(object)),
		},
		{
			Purpose: "run on what comes in, compiled (J)",
			Run:     step.Shell(`printf %s "$2" >"$1/in"`, t.Dir, load.String()),
		},
	}
}

// Verify expects testpmd to forward. With a filter, it also expects a compiled program on each
// port.
func (t *Testpmd) Verify() []step.Step {
	list := []step.Step{
		t.process().Runs("DPDK's forwarder"),
		{
			Purpose: "it forwards", Run: []string{"cat", t.Dir + "/testpmd.log"},
			Within: startTimeout,
			Expect: step.Contains("packet forwarding - ports=2"),
			Advice: "see its log in " + t.Dir + "; apply again",
		},
	}
	if t.Filter.None() {
		return list
	}
	return append(list, step.Step{
		Purpose: "it runs the filter's program on both ports, compiled", Within: startTimeout,
		Run: step.Shell(`grep -c 'successfully creates .*jit={.func=0x[1-9a-f]' "$1/testpmd.log"`,
			t.Dir),
		Expect: step.Is("2"),
		Advice: "see its log in " + t.Dir +
			": DPDK's library for eBPF with libelf and a compiler for this CPU is needed",
	})
}

// maxReads limits the reads of the statistics where packets seem to have been dropped. A packet
// between two counters looks dropped, too, but not for long.
const maxReads = 3

// Count reads the packets that testpmd carried, by port, and the total that the filter dropped. Of
// several reads it takes the one with the fewest drops: a dropped packet stays dropped.
func (t *Testpmd) Count(
	ctx context.Context, n step.Node,
) (carried map[string]uint64, dropped uint64, err error) {
	for read := 1; ; read++ {
		ports, err := t.statistics(ctx, n)
		if err != nil {
			return nil, 0, err
		}
		if c, d := t.balance(ports); read == 1 || d < dropped {
			carried, dropped = c, d
		}
		if dropped == 0 || read == maxReads {
			return carried, dropped, nil
		}
		time.Sleep(step.RetryInterval)
	}
}

// answerTimeout bounds the wait for an answer in the log.
const answerTimeout = 10 * time.Second

// statistics asks for the statistics through the pipe, and reads the log until they are there.
func (t *Testpmd) statistics(ctx context.Context, n step.Node) ([]portStats, error) {
	deadline := time.Now().Add(answerTimeout)
	out, err := n.Run(ctx, step.Shell(`cd "$1" && wc -c <testpmd.log && `+
		`printf 'show fwd stats all\nshow port stats all\n' >in`, t.Dir))
	if err != nil {
		return nil, err
	}
	from := strings.TrimSpace(out)
	for {
		out, err := n.Run(ctx, step.Shell(`tail -c +"$2" "$1/testpmd.log"`, t.Dir, from))
		if err != nil {
			return nil, err
		}
		ports, err := parseStatistics(out)
		if err != nil || len(ports) == len(t.Ports) {
			return ports, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("dpdk-testpmd does not answer: found %q", step.Shorten(out))
		}
		time.Sleep(step.RetryInterval)
	}
}

// balance computes the filter's drops: packets that came in at a port and were not given to the
// other one. Without a filter, nothing is dropped.
func (t *Testpmd) balance(ports []portStats) (carried map[string]uint64, dropped uint64) {
	carried = map[string]uint64{}
	for i, name := range t.Ports {
		in, out := ports[i], ports[1-i]
		carried[name] = in.came
		if !t.Filter.None() {
			lost := in.came - min(in.came, out.left+out.failed+out.noRoom)
			carried[name] -= lost
			dropped += lost
		}
	}
	return carried, dropped
}

// portStats are the counts of one port, in packets.
type portStats struct {
	came, left, failed uint64
	noRoom             uint64 // for it, given up by the forwarding
}

var (
	ofPort = regexp.MustCompile(`NIC statistics for port (\d+)[^\n]*\n` +
		`\s*RX-packets:\s*(\d+)[^\n]*\n[^\n]*\n[^\n]*\n` +
		`\s*TX-packets:\s*(\d+)\s+TX-errors:\s*(\d+)`)
	ofForwarding = regexp.MustCompile(`Forward statistics for port (\d+)[^\n]*\n` +
		`[^\n]*\n\s*TX-packets:\s*\d+\s+TX-dropped:\s*(\d+)`)
)

// parseStatistics reads both kinds of statistics. It returns none while some are missing.
func parseStatistics(out string) ([]portStats, error) {
	stats, forward := ofPort.FindAllStringSubmatch(out, -1),
		ofForwarding.FindAllStringSubmatch(out, -1)
	if len(stats) != len(forward) {
		return nil, nil
	}
	ports := make([]portStats, len(stats))
	for i := range ports {
		p := &ports[i]
		for value, text := range map[*uint64]string{
			&p.came: stats[i][2], &p.left: stats[i][3], &p.failed: stats[i][4],
			&p.noRoom: forward[i][2],
		} {
			var err error
			if *value, err = strconv.ParseUint(text, 10, 64); err != nil {
				return nil, fmt.Errorf("dpdk-testpmd's statistics: %w", err)
			}
		}
	}
	return ports, nil
}
