package submode

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/placement/submode/packetfilter"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestPlans holds the exact commands against files that a person has read.
func TestPlans(t *testing.T) {
	for _, target := range []string{Linux, BlueField} {
		for _, name := range Names() {
			for _, d := range Datapaths(target, name) {
				var b bytes.Buffer
				if err := mustNew(t, Config{Submode: name, Target: target, Datapath: d, CPUs: []int{0, 1, 2}}).Plan(&b); err != nil {
					t.Error(err)
				}
				golden(t, target+"-"+name+"-"+d, b.Bytes())
			}
		}
	}
}

// TestPlansWithFilter likewise, with packet work, for all that can do it.
func TestPlansWithFilter(t *testing.T) {
	f, err := packetfilter.Parse([]string{"drop-client:192.0.2.1", "drop-key-hash:0-1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Config{
		{Submode: SM1, Target: BlueField},
		{Submode: SM2, Target: BlueField},
		{Submode: SM3, Target: BlueField},
		{Submode: SM4, Target: BlueField},
		{Submode: SM5, Target: BlueField},
		{Submode: SM1, Target: Linux, Datapath: "ovs-system"},
		{Submode: SM3, Target: Linux, Datapath: "testpmd"},
		{Submode: SM4, Target: Linux, Datapath: "tcx"},
	} {
		c.Filter, c.CPUs = f, []int{0, 1, 2}
		var b bytes.Buffer
		if err := mustNew(t, c).Plan(&b); err != nil {
			t.Error(err)
		}
		golden(t, c.Target+"-"+c.Submode+"-filter", b.Bytes())
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".plan")
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -run TestPlans -update writes it): %v\n%s", file, err, got)
	}
}

// What mlxconfig -e query prints, shortened (NVIDIA's documents; the second with the older form of values).
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
		if err := onPathMode(c.out); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// card is a BlueField as far as its answers go: commands by a part of their text, the first that fits. No card is at hand, so what is
// tested is what is asked of it, and what is made of its answers.
type card struct {
	answers [][2]string
	asked   []string
}

func (c *card) node() Node {
	return Node{"dpu", func(_ context.Context, argv []string) (string, error) {
		text := quoted(argv)
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
	{"ip -d -j link", `[{"ifname":"p0","flags":["UP"],"mtu":1500},{"ifname":"pf0hpf","flags":["UP"],"mtu":1500}]`},
	{"2>/dev/null || :' sh p", ""}, // port-to-br before
	{"port-to-br", bridge},
	{"--columns=error,ofport", "1\n"},
	{"get Open_vSwitch . other_config:hw-offload", `"true"`},
	{"sed -n", "off"},
}

// TestCardRefuses: what needs a power cycle or a person is said, and nothing is changed.
func TestCardRefuses(t *testing.T) {
	for name, c := range map[string]struct{ ask, answer, want string }{
		"mode":    {"mlxconfig", mlxOffPath, "then a power cycle of the host"},
		"no tool": {"mlxconfig", "FAIL exit status 127: mlxconfig: not found", "not found"},
		"eswitch": {"devlink", "pci/0000:03:00.0: mode legacy", "mode switchdev"},
		"ports":   {"ip -d -j", `[{"ifname":"p0"}]`, "is this the DPU, and not its host?"},
		"MTU":     {"ip -d -j", `[{"ifname":"p0","mtu":9000},{"ifname":"pf0hpf","mtu":1500}]`, "found an MTU of 9000 on p0 and 1500 on pf0hpf"},
		"theirs":  {"2>/dev/null || :' sh p0", "ovsbr1", "ovs-vsctl del-port BRIDGE p0"},
		"user":    {"id -u", "1000", "log in to the DPU as root"},
	} {
		fake := &card{answers: append([][2]string{{c.ask, c.answer}}, healthy...)}
		_, err := mustNew(t, Config{Submode: SM4, Target: BlueField}).Apply(t.Context(), fake.node())
		if err == nil || !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		for _, command := range fake.asked {
			for _, change := range []string{"ovs-vsctl set", "add-br", "systemctl", "ethtool -K", "mlxconfig -d 0000:03:00.0 set"} {
				if strings.Contains(command, change) {
					t.Errorf("%s: it ran %s", name, command)
				}
			}
		}
	}
}

// TestAnotherCard: what was applied to one card is not taken back on another that has its folder,
// as after the copy of an image.
func TestAnotherCard(t *testing.T) {
	const about = `{"Submode":"sm4","Target":"bluefield","Ports":{"Wire":"p0","Host":"pf0hpf"},` +
		`"Card":"0123 02:00:00:00:00:01"}`
	const allowed = `allowed: "0123 02:00:00:00:00:01", to which it was applied`
	for address, refused := range map[string]bool{
		"02:00:00:00:00:01": false,
		"02:00:00:00:00:02": true,
	} {
		fake := &card{answers: [][2]string{
			{"/card/undo", `{"Run":["ovs-vsctl","del-br","dpukv0"]}` + "\n"},
			{"/card/about", about},
			{"/etc/machine-id", "0123\n"},
			{
				"ip -j link show dev p0",
				`[{"address":"02:00:00:00:00:09","permaddr":"` + address + `"}]`,
			},
		}}
		_, err := Undo(t.Context(), fake.node(), BlueField)
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), allowed) {
			t.Errorf("%s: found %v", address, err)
		}
		ran := strings.Contains(strings.Join(fake.asked, "\n"), "del-br")
		if ran == refused {
			t.Errorf("%s: it asked %q", address, fake.asked)
		}
	}
}

// TestCardEvidence: offloaded flows prove SM4 and speak against SM1.
func TestCardEvidence(t *testing.T) {
	flows := func(n string) string {
		return "ufid:6f1c2d3e-0001-0002-0003-000000000001, in_port(p0), packets:" + n + ", bytes:1, used:0.1s, dp:tc, actions:pf0hpf\n"
	}
	links := func(n string) string {
		s := `"stats64":{"rx":{"packets":` + n + `},"tx":{"packets":` + n + `}}`
		return `[{"ifname":"p0",` + s + `},{"ifname":"pf0hpf",` + s + `}]`
	}
	for name, c := range map[string]struct{ submode, in, out, want string }{
		"sm4":           {SM4, "type=offloaded", "type=non-offloaded", ""},
		"sm4, software": {SM4, "type=non-offloaded", "type=offloaded", "that it took"},
		"sm1":           {SM1, "type=non-offloaded", "type=offloaded", ""},
		"sm1, offloads": {SM1, "type=offloaded", "type=non-offloaded", "on a way that should not be taken"},
	} {
		at := func(packets, flowPackets string) *Evidence {
			fake := &card{answers: [][2]string{{"/var/run/openvswitch/ovs-vswitchd.pid", "7 (ovs-vswitchd) S 1 7 7 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 99 0"}, {"ip -j -s", links(packets)}, {c.out, ""}, {c.in, flows(flowPackets)}}}
			s := mustNew(t, Config{Submode: c.submode, Target: BlueField})
			l := &Lease{site: newSite(&s.cfg, s.datapath, "/x"), node: fake.node()}
			e, err := l.Evidence(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		_, err := Prove(at("1000", "1000"), at("11000", "21000"))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
