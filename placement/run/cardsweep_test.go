package run

import (
	"strings"
	"testing"

	"dpukv/internal/test/programs"
	"dpukv/internal/test/testbeds"
	"dpukv/placement/submode"
	"dpukv/results"
)

func runWithCards(t *testing.T, submodes, bed string) (Summary, []results.Point) {
	t.Helper()
	o, _, _ := fakeOptions(t, "")
	write(t, &o, "get_ratio: 1\nclient_threads: 1\nduration: 10ms\nwarmup: 0s\nrepeats: 1\nkeys: 10\n"+
		"submode: "+submodes+"\n", bed)
	sum, err := runFake(t, o)
	if err != nil && len(sum.Failed) == 0 {
		t.Fatal(err)
	}
	return sum, readPoints(t, o.Dir)
}

// TestCardsOfAPoint: a point has the current mode of every card of its hosts. Off-path, a card of
// either side that forwards is refused, though the testbed names no target and though the mode of
// the next power cycle would do.
func TestCardsOfAPoint(t *testing.T) {
	for name, c := range map[string]struct {
		submode, mlxconfig string
		want               []string // of the error; none: it is measured
		mode               string
	}{
		"separated": {submode.OffPath, programs.Mlxconfig("1", "0", "0"), nil, "separated"},
		"DPU": {
			submode.OffPath, programs.Mlxconfig("1", "1", "0"),
			[]string{
				"submode off-path, the card 0000:03:00.0 in host", "found DPU mode", "after a power cycle",
				"mlxconfig -d 0000:03:00.0 set INTERNAL_CPU_MODEL=0", "submode: [off-path-sf]",
			},
			"",
		},
		"SF": {submode.OffPathSF, programs.Mlxconfig("1", "1", "1"), nil, "dpu"},
		"SF, separated": {
			submode.OffPathSF, programs.Mlxconfig("1", "0", "0"),
			[]string{"submode off-path-sf", "found separated-host mode", "INTERNAL_CPU_MODEL=1"},
			"",
		},
		"unread": {
			submode.OffPath, "echo '-E- Failed to open the device'; exit 3\n",
			[]string{"the mode of the card in host", "Failed to open the device", "mst start"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			programs.First(t, map[string]string{
				"ssh": programs.SSH, "mlxconfig": c.mlxconfig, "mst": "exit 1\n", "sudo": "shift; exec \"$@\"\n",
			})
			sum, points := runWithCards(t, c.submode, testbeds.TwoCards)
			if c.want != nil {
				for _, want := range c.want {
					if len(sum.Failed) != 1 || !strings.Contains(sum.Failed[0].Reason, want) {
						t.Errorf("got %+v, want %q", sum, want)
					}
				}
				return
			}
			if len(points) != 1 || points[0].Status != results.StatusOK || len(points[0].Cards) != 2 {
				t.Fatalf("got %+v", points)
			}
			for i, host := range []string{"hostB", "hostA"} {
				got := points[0].Cards[i]
				if got.Host != host || got.ReadOn != strings.Replace(host, "host", "dpu", 1) || got.Mode != c.mode {
					t.Errorf("got %+v, want %s in mode %s", got, host, c.mode)
				}
			}
			if unproven := strings.Contains(points[0].Warnings.String(),
				"is not proven"); unproven != (c.submode == submode.OffPathSF) {
				t.Errorf("got the warnings %q", points[0].Warnings)
			}
		})
	}
}

// TestNoCards: machines without a card have no cards in their points, and no warnings about any.
func TestNoCards(t *testing.T) {
	programs.First(t, map[string]string{"mlxconfig": "exit 1\n"})
	_, points := runWithCards(t, submode.OffPath, "nodes: {a: {via: local}, b: {via: local}}\n"+
		"client_side: a\nserver_side: b\n")
	if len(points) != 1 || points[0].Status != results.StatusOK || points[0].Cards != nil ||
		strings.Contains(points[0].Warnings.String(), "card") {
		t.Errorf("got %+v", points)
	}
}
