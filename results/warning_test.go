package results

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

type example struct {
	text string
	want Warning // with the whole text, if that is ""
}

// texts has warnings as they were and are written, and the kind and node that are read.
var texts = []example{
	{"client-bound: the client's threads used 97 % of their CPUs' time", Warning{Kind: ClientBound}},
	{"dpuA: disturbed: other programs used 40 %", Warning{Disturbed, "dpuA", "disturbed: other programs used 40 %"}},
	{"host-a.lab: too short for p99: 3 batches", Warning{TooShortP99, "host-a.lab", "too short for p99: 3 batches"}},
	{"too short for p99.9: 3 batches", Warning{Kind: TooShortP999}},
	{"too short for p95: 3 batches", Warning{Kind: TooShort}},
	{"few requests: up to 64 operations", Warning{Kind: FewRequests}},
	{"the client threads spent 97 % of their CPU time spinning, for answers", Warning{Kind: Spinning}},
	{"in flight: the client held 7.1 of 16 batches back", Warning{Kind: InFlight}},
	{"the windows never filled: the client sent no faster", Warning{Kind: InFlight}}, // of older builds
	{"client threads share CPUs: threads [0 1] on CPU 1", Warning{Kind: SharedCPUs}},
	{"3 client threads share 2 CPUs", Warning{Kind: SharedCPUs}},
	{"clients a and c share CPUs (1 and 1)", Warning{Kind: SharedCPUs}},
	{"server and client run on threads of the same core (CPUs 0 and 1)", Warning{Kind: SharedCPUs}},
	{"client and server run on the same machine, and not both are pinned: they may", Warning{Kind: SharedCPUs}},
	{"the neighbour cpu shares CPU 1 with other processes of the point: its", Warning{Kind: SharedCPUs}},
	{"what forwards shares CPU 1 with server or client", Warning{Kind: SharedForward}},
	{"the network lost or delayed packets of the server: 3 of 4", Warning{Kind: LostPackets}},
	{"a: requests sent again: 3", Warning{LostPackets, "a", "requests sent again: 3"}},
	{"3 of 4 GETs missed: items expire 1s after their SET", Warning{Kind: Expired}},
	{"3 latencies were outside the histograms' range", Warning{Kind: OutOfRange}},
	{"the clients began 6ms apart, 10 % of the measurement period", Warning{Kind: ClientsApart}},
	{"the clients differ in tls: found a and b", Warning{Kind: ClientsApart}},
	{"off-path-sf: that the Arms' cores did not forward the load is not proven: why", Warning{Kind: Unproven}},
	{"found 3 of 4 packets in partially offloaded flows: the", Warning{Kind: Unproven}},
	{"a tcx program stands in for the eSwitch", Warning{Kind: Substitute}},
	{
		"the lanes between engine and store are memory of this machine (shm), which plays PCIe: t",
		Warning{Kind: PlaysPCIe},
	},
	{"node a runs under an emulator (qemu): its times", Warning{Kind: Emulation}},
	{
		"node dpu: 2 threads × strength 0.5 = 1.00 CPUs, and 1 carry them: the emulated DPU is as fast",
		Warning{Kind: Emulation},
	},
	{"the server's counters are not those of this load: why. The point", Warning{Kind: Distrusted}},
	{"the filter drop-client dropped 3 packets on the path", Warning{Kind: Filtered}},
	{"the server at h:1 ran already: how it was started", Warning{Kind: Attached}},
	{"3 keys with the names of the load's keys were on the server before", Warning{Kind: Attached}},
	{"iperf3 measures whole seconds: 1s in place of 500ms", Warning{Kind: Coarse}},
	{"only a backlog answered: 9 operations", Warning{Kind: Backlogged}},
	{"overload: 3 % of the packets", Warning{Kind: Overload}},
	{"emulated tails: the CPU quota that emulates dpu", Warning{Kind: EmulatedTails}},
	{"the server: client-bound: no node has a name of two words", Warning{Kind: Other}},
	{"a: nobody knows what this is", Warning{Kind: Other}},
	{"", Warning{Kind: Other}},
}

func TestReadWarning(t *testing.T) {
	for _, c := range texts {
		if c.want.Text == "" {
			c.want.Text = c.text
		}
		if got := ReadWarning(c.text); got != c.want || got.String() != c.text {
			t.Errorf("%q: found %+v, want %+v", c.text, got, c.want)
		}
	}
}

// TestEachKindIsRead: each kind has an example above or begins its text itself, and is one row's.
func TestEachKindIsRead(t *testing.T) {
	var seen []Kind
	for _, r := range kinds {
		if r.begins == nil {
			if w := r.Warn("%d %%", 3); w.Text != string(r.Kind)+": 3 %" || w != ReadWarning(w.String()) {
				t.Errorf("%s: %+v is not what its text is read as", r.Kind, w)
			}
			if slices.Contains(seen, r.Kind) {
				t.Errorf("%s has two rows", r.Kind)
			}
		} else if !slices.ContainsFunc(texts, func(c example) bool { return c.want.Kind == r.Kind }) {
			t.Errorf("%s has no example", r.Kind)
		}
		seen = append(seen, r.Kind)
	}
}

// FuzzWarnings: what is read is written again with the same bytes, and a reader finds the same.
func FuzzWarnings(f *testing.F) {
	for _, c := range texts {
		f.Add(c.text)
	}
	f.Add("a:  \xff <b> \u2028")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		plain := must.Get(json.Marshal([]string{text, "another"}))(t)
		var l Warnings
		if err := json.Unmarshal(plain, &l); err != nil {
			t.Fatalf("%s: %v", plain, err)
		}
		written, err := json.Marshal(l)
		if err != nil || string(written) != string(plain) {
			t.Errorf("found %s (%v), want %s", written, err, plain)
		}
		if w := ReadWarning(text); w.String() != text || w.Kind == Other && w.Text != text {
			t.Errorf("%q: found %+v", text, w)
		}
	})
}
