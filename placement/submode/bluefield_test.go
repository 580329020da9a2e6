package submode

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"dpukv/placement/submode/card"
	"dpukv/placement/submode/iplink"
	"dpukv/placement/submode/step"
)

// Output of mlxconfig -e query, shortened (NVIDIA's documents; the second has the older form of
// values).
const (
	mlxOnPath = `
Device #1:
----------

Device type:    BlueField2
Name:           MBF2H516A-EEEO_Ax_Bx
Device:         0000:03:00.0

Configurations:                                          Default             Current         Next Boot
        INTERNAL_CPU_MODEL                               EMBEDDED_CPU(1)     EMBEDDED_CPU(1)     EMBEDDED_CPU(1)
        INTERNAL_CPU_OFFLOAD_ENGINE                      ENABLED(0)          ENABLED(0)          ENABLED(0)
`
	mlxOffPath = `
Configurations:                              Default         Current         Next Boot
*        INTERNAL_CPU_MODEL                  1               0               1
         INTERNAL_CPU_OFFLOAD_ENGINE         0               0               0
`
)

// fakeCard is a BlueField that consists of answers: commands by a part of their text, the first match
// counts. No card is at hand. So the tests cover the commands to a card, and the use of its
// answers.
type fakeCard struct {
	answers [][2]string
	asked   []string
}

func (c *fakeCard) node() step.Node {
	return step.Node{Name: "dpu", Run: func(_ context.Context, argv []string) (string, error) {
		text := step.Quote(argv)
		c.asked = append(c.asked, text)
		for _, a := range c.answers {
			if strings.Contains(text, a[0]) {
				if failed, ok := strings.CutPrefix(a[1], "FAIL "); ok {
					return "", errors.New(failed)
				}
				return a[1], nil
			}
		}
		return "", nil
	}}
}

var healthy = [][2]string{
	{"readlink", "net:[1]"},
	{"mlxconfig", mlxOnPath}, // before "id -u", which its command has, too
	{"id -u", "0"},
	{"devlink dev eswitch show", "pci/0000:03:00.0: mode switchdev inline-mode none encap-mode basic"},
	{"ip -d -j link", `[{"ifname":"p0","flags":["UP"],"mtu":1500},` +
		`{"ifname":"pf0hpf","flags":["UP"],"mtu":1500}]`},
	{"list mirror", ""}, // the bridges of the ports before
	{"port-to-br", bridgeName},
	{"--columns=error,ofport", "1\n"},
	{"get Open_vSwitch . other_config:hw-offload", `"true"`},
	{"list Open_vSwitch", runsKernel},
	{"/mtu", "1500"},
	{"sed -n", "off"},
}

// TestCardRefuses: an error says what needs a power cycle or a person, and nothing is changed.
func TestCardRefuses(t *testing.T) {
	for name, c := range map[string]struct{ ask, answer, want string }{
		"mode":    {"mlxconfig", mlxOffPath, "then a power cycle of the host"},
		"no tool": {"mlxconfig", "FAIL exit status 127: mlxconfig: not found", "not found"},
		"eswitch": {"devlink", "pci/0000:03:00.0: mode legacy", "mode switchdev"},
		"ports":   {"ip -d -j", `[{"ifname":"p0"}]`, "is this the DPU, and not its host?"},
		"MTU": {
			"ip -d -j", `[{"ifname":"p0","mtu":9000},{"ifname":"pf0hpf","mtu":1500}]`,
			"found an MTU of 9000 on p0 and 1500 on pf0hpf",
		},
		"user": {"id -u", "1000", "sudo: true for the node"},
	} {
		fake := &fakeCard{answers: append([][2]string{{c.ask, c.answer}}, healthy...)}
		_, err := mustNew(t, Config{Submode: SM4, Target: BlueField}).Apply(t.Context(), fake.node())
		if err == nil || !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		fake.changedNothing(t, name)
	}
}

// changedNothing expects that no command changed the card.
func (c *fakeCard) changedNothing(t *testing.T, name string) {
	t.Helper()
	for _, command := range c.asked {
		for _, change := range []string{
			"set Open_vSwitch", "add-br", "systemctl", "ethtool -K", "mlxconfig -d 0000:03:00.0 set",
		} {
			if strings.Contains(command, change) {
				t.Errorf("%s: it ran %s", name, command)
			}
		}
	}
}

// TestOffPathModes: off-path, a card that forwards is refused. By a scalable function, a separated
// card is, and so is a machine that is no card.
func TestOffPathModes(t *testing.T) {
	for _, c := range []struct {
		submode string
		want    *datapath
		refused map[string]string // by the card's answer
	}{
		{OffPath, blueFieldOffPath, map[string]string{mlxOffPath: "", mlxOnPath: "DPU mode"}},
		{OffPathSF, blueFieldOffPathSF, map[string]string{mlxOnPath: "", mlxOffPath: "separated-host mode"}},
	} {
		s := mustNew(t, Config{Submode: c.submode, Target: BlueField})
		if s.datapath != c.want {
			t.Fatalf("%s: found %s", c.submode, s.datapath.name)
		}
		for answer, want := range c.refused {
			fake := &fakeCard{answers: [][2]string{{"mlxconfig", answer}}}
			if _, err := s.choose(t.Context(), fake.node(), "/x"); !failsWith(err, want) {
				t.Errorf("%s: found %v, want %q", c.submode, err, want)
			}
		}
	}
	if _, err := New(Config{Submode: OffPathSF, Target: Linux}); !failsWith(err, "allowed: bluefield") {
		t.Errorf("found %v", err)
	}
}

// FuzzCard: a card may print anything; reading it must not panic.
func FuzzCard(f *testing.F) {
	f.Add(mlxOnPath)
	f.Add(`[{"ifname":"p0","flags":["UP"],"mtu":1500}]`)
	ports := Ports{"p0", "pf0hpf"}
	f.Fuzz(func(_ *testing.T, out string) {
		_ = iplink.Check(ports.checkCard)(out)
		_ = inMode(card.DPU)(out)
	})
}

// TestTakePorts: a port that DOCA's images put into ovsbr1 leaves it before our bridge takes it. The
// way back is on record before that, and comes before the last restart.
func TestTakePorts(t *testing.T) {
	for _, name := range []string{SM4, SM3} {
		const found = "ovsbr1\n2\nport tag=[]\ninterface type=\"\"\n"
		fake := &fakeCard{answers: append([][2]string{
			{"list mirror", found}, {"free_hugepages", pages}, {"ip -j link show dev", `[{"address":"02:00:00:00:00:01"}]`},
		}, healthy...)}
		// SM3 fails later, at its program: only the order of what it asked counts
		_, err := mustNew(t, Config{Submode: name, Target: BlueField}).Apply(t.Context(), fake.node())
		at := func(words ...string) int {
			return slices.IndexFunc(fake.asked, func(text string) bool {
				return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
			})
		}
		record := at("/card/undo", "ovsbr1", "add-port")
		taken := at("del-port", "sh p0 dpukv0")
		if record < 0 || taken < record {
			t.Errorf("%s: the record is command %d, the port leaves with %d, want it later (%v)", name,
				record, taken, err)
		}
		if name == SM4 {
			if bridge := at("add-br"); bridge < taken || err != nil {
				t.Errorf("our bridge is command %d, want it after %d: %v", bridge, taken, err)
			}
			if last := at("/card/undo", "systemctl restart"); last < 0 || last > record {
				t.Errorf("the restart is record %d, want it before %d, as the last is undone first", last, record)
			}
		}
	}
}
