package submode

import (
	"context"
	"errors"
	"strings"
	"testing"

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
	mlxNIC = `
Configurations:                              Default         Current         Next Boot
         INTERNAL_CPU_MODEL                  EMBEDDED_CPU(1) EMBEDDED_CPU(1) EMBEDDED_CPU(1)
*        INTERNAL_CPU_OFFLOAD_ENGINE         ENABLED(0)      DISABLED(1)     DISABLED(1)
`
)

func TestMode(t *testing.T) {
	for name, c := range map[string]struct{ out, want string }{
		"on-path":  {mlxOnPath, ""},
		"off-path": {mlxOffPath, "separated-host mode"},
		"NIC":      {mlxNIC, "NIC mode"},
		"nothing":  {"", "found no INTERNAL_CPU_MODEL"},
	} {
		if err := onPathMode(c.out); !failsWith(err, c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// card is a BlueField that consists of answers: commands by a part of their text, the first match
// counts. No card is at hand. So the tests cover the commands to a card, and the use of its
// answers.
type card struct {
	answers [][2]string
	asked   []string
}

func (c *card) node() Node {
	return Node{Name: "dpu", Run: func(_ context.Context, argv []string) (string, error) {
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
	{"id -u", "0"},
	{"mlxconfig", mlxOnPath},
	{"devlink dev eswitch show", "pci/0000:03:00.0: mode switchdev inline-mode none encap-mode basic"},
	{"ip -d -j link", `[{"ifname":"p0","flags":["UP"],"mtu":1500},` +
		`{"ifname":"pf0hpf","flags":["UP"],"mtu":1500}]`},
	{"2>/dev/null || :' sh p", ""}, // port-to-br before
	{"port-to-br", bridgeName},
	{"--columns=error,ofport", "1\n"},
	{"get Open_vSwitch . other_config:hw-offload", `"true"`},
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
		"theirs": {"2>/dev/null || :' sh p0", "ovsbr1", "ovs-vsctl del-port BRIDGE p0"},
		"user":   {"id -u", "1000", "log in to the DPU as root"},
	} {
		fake := &card{answers: append([][2]string{{c.ask, c.answer}}, healthy...)}
		_, err := mustNew(t, Config{Submode: SM4, Target: BlueField}).Apply(t.Context(), fake.node())
		if err == nil || !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		for _, command := range fake.asked {
			for _, change := range []string{
				"ovs-vsctl set", "add-br", "systemctl", "ethtool -K", "mlxconfig -d 0000:03:00.0 set",
			} {
				if strings.Contains(command, change) {
					t.Errorf("%s: it ran %s", name, command)
				}
			}
		}
	}
}

// TestOffPathMode: off-path, a card that forwards is refused.
func TestOffPathMode(t *testing.T) {
	s := mustNew(t, Config{Submode: OffPath, Target: BlueField})
	if s.datapath != blueFieldOffPath {
		t.Fatalf("found %s", s.datapath.name)
	}
	for answer, want := range map[string]string{mlxOffPath: "", mlxOnPath: "embedded-CPU mode"} {
		fake := &card{answers: [][2]string{{"mlxconfig", answer}}}
		err := s.Check(t.Context(), fake.node())
		if !failsWith(err, want) {
			t.Errorf("found %v, want %q", err, want)
		}
	}
}

// FuzzCard: a card may print anything; reading it must not panic.
func FuzzCard(f *testing.F) {
	f.Add(mlxOnPath)
	f.Add(`[{"ifname":"p0","flags":["UP"],"mtu":1500}]`)
	ports := Ports{"p0", "pf0hpf"}
	f.Fuzz(func(_ *testing.T, out string) {
		_ = checkCardPorts(out, ports)
		_ = onPathMode(out)
	})
}
