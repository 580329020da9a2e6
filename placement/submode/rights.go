package submode

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"dpukv/placement/submode/card"
	"dpukv/placement/submode/journal"
	"dpukv/placement/submode/step"
)

// Rights returns the commands that dpukv runs on a card, in all of its submodes without a filter:
// those of the steps, their undo, the evidence, the journal and the card's mode. step.AsFound
// stands in them for what is found there. cfg needs no submode.
func Rights(cfg Config) (commands [][]string, err error) {
	cfg.Target = BlueField
	cfg.Submode = SM1
	cfg = cfg.withDefaults()
	r := &recorder{ports: cfg.Ports}
	n := step.Node{Name: "card", Run: r.run}
	ctx := context.Background()
	for _, name := range Names() {
		for _, d := range candidates(BlueField, name) {
			cfg := cfg
			cfg.Submode, cfg.Target, cfg.Datapath = name, BlueField, d.name
			sub, err := New(cfg)
			if err != nil {
				return nil, err
			}
			s := sub.setup(d, journal.CardDir)
			r.doca = d == blueFieldDOCA
			for _, list := range [][]step.Step{d.Check(s), s.steps(), d.Verify(s)} {
				for i := range list {
					r.add(list[i].Run, list[i].State, list[i].Undo)
				}
			}
			// The counters are read as from a card: what it answers decides what is asked next.
			_ = newEvidence(s).read(ctx, n)
			if s.onCard() {
				l := &Lease{s, n, journal.OfCard(n), nil}
				r.journal(ctx, l.journal, s)
				r.add([]string{"cat", "/sys/class/net/" + s.Ports.Wire + "/mtu"})
			}
		}
	}
	for _, argv := range r.all { // newer switches have only the second of two commands
		if i := slices.Index(argv, "dpif-netdev/pmd-stats-show"); i >= 0 {
			other := slices.Clone(argv)
			other[i] = "dpif-netdev/pmd-perf-show"
			r.add(other)
		}
	}
	_, _ = card.Read(ctx, n, cfg.PCI)
	_, _ = card.CPUHits(ctx, n, cfg.PCI)
	_, _ = card.Look(ctx, n, step.AsFound)
	return r.all, nil
}

// recorder is a node that notes commands, and answers as far as the next one depends on it.
type recorder struct {
	all   [][]string
	ports Ports
	doca  bool // it runs OVS-DOCA
}

func (r *recorder) add(commands ...[]string) {
	for _, argv := range commands {
		if argv == nil {
			continue
		}
		argv = slices.Clone(argv)
		for i, word := range argv {
			// A word is a whole, or else the rule would not hold what is found.
			if strings.Contains(word, step.AsFound) || strings.HasPrefix(word, `{"`) {
				argv[i] = step.AsFound
			}
		}
		if !slices.ContainsFunc(r.all, func(other []string) bool {
			return slices.Equal(other, argv)
		}) {
			r.all = append(r.all, argv)
		}
	}
}

// journal runs what a journal does, from its begin to its end.
func (r *recorder) journal(ctx context.Context, j *journal.Journal, s *setup) {
	h := &journal.Header{Ports: journal.Ports(s.Ports)}
	_ = j.Begin(ctx, h, true)
	_ = j.Add(ctx, &step.UndoRecord{Run: []string{step.AsFound}})
	_ = j.Logs(ctx)
	_ = j.Undo(ctx)
}

var errNotRun = errors.New("it is only recorded")

// answers are by a part of the command. The first one counts.
var answers = [][2]string{
	{"ip -j link show dev", `[{"address":"02:00:00:00:00:01"}]`},
	{"link show", `[{"ifname":"P0","mtu":1500},{"ifname":"PF0HPF","mtu":1500}]`},
	{
		"ethtool -S", "rx_packets_phy: 1\nrx_bytes_phy: 1\ntx_packets_phy: 1\ntx_bytes_phy: 1\n" +
			"rx_packets: 1\n",
	},
	{"list Open_vSwitch", "dpdk_initialized : true\ndoca_initialized : DOCA\n"},
	{"dpif/show", "doca@" + step.AsFound + ": hit:1 missed:1\n"},
	{"dpctl/dump-flows", "ufid:1, in_port(1), packets:1, bytes:1, actions:2\n"},
	{"pmd-stats-show", "main thread:\n  packets received: 1\n"},
	{"RTE Version", "/opt/dpdk-testpmd\n1\n"},
	{"wc -c", step.AsFound},
	{"machine-id", "1"},
	{"/about", `{"Ports":{"Wire":"P0"},"Card":"1 02:00:00:00:00:01"}`},
	{"card/undo", `{"Run":["id","-u"]}`},
}

func (r *recorder) run(_ context.Context, argv []string) (string, error) {
	r.add(argv)
	text := strings.Join(argv, " ")
	for _, a := range answers {
		if strings.Contains(text, a[0]) {
			return strings.NewReplacer("PF0HPF", r.ports.Host, "P0", r.ports.Wire,
				"DOCA", strconv.FormatBool(r.doca)).Replace(a[1]), nil
		}
	}
	if strings.Contains(text, "/proc/") && strings.Contains(text, "stat") {
		return "1 (x) S" + strings.Repeat(" 1", 30), nil
	}
	if strings.Contains(text, "tail -c") {
		return "", errNotRun
	}
	return "", nil
}
