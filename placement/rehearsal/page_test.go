//go:build card

package rehearsal

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
)

// TestPage plays the first day with the outputs of each release.
func TestPage(t *testing.T) {
	program := programs.DPUKV(t)
	for release, names := range map[string]string{"doca-2.9": "4", "doca-3.5": "sm5", Undated: "sm1"} {
		t.Run(release, func(t *testing.T) {
			cmd := exec.Command(program, "testbed", "rehearse", "--release", release, "--submode", names)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if of := regexp.MustCompile(`[1-9]\d* of 0 × 2 MiB`).Find(out); of != nil {
				t.Errorf("found %s", of)
			}
			for _, want := range []string{
				"REHEARSAL with outputs of " + release, "ok       full size to hostA", "node dpuB is as it was",
				"pings took it", "3 nodes reported", "REHEARSED: all commands did their work on emulated tools",
			} {
				if !strings.Contains(string(out), want) {
					t.Errorf("found no %q in\n%s", want, out)
				}
			}
		})
	}
	if len(Releases()) != 3 {
		t.Errorf("found the releases %q, and only three are played", Releases())
	}
}

// TestCheck: the check of cards is clean in DPU mode with an address of the Arm's own. It refuses an
// address that is not on the card, and, in separated-host mode, ports in a bridge.
func TestCheck(t *testing.T) {
	c := newCard(t)
	dir := t.TempDir()
	bed := must.Get(c.Testbed(t.Context()))(t)
	must.Do(t, c.SSH(dir))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	check := func(text string) (string, error) {
		file := filepath.Join(dir, "bed.yaml")
		must.Do(t, os.WriteFile(file, []byte(text), 0o600))
		out, err := exec.Command(c.binary, "testbed", "check", "--card", file).CombinedOutput()
		return string(out), err
	}
	if out, err := check(bed); err != nil || strings.Contains(out, "refused ") {
		t.Errorf("in DPU mode: %v\n%s", err, out)
	}
	c.run(c.Node("b"), "sh", "-euc", "ip link add eth9 type veth peer name eth10; "+
		"ip address add 10.99.0.1/24 dev eth9; ip link set dev eth9 up; ip link set dev eth10 up")
	beside := strings.Replace(bed, "host: b, address: "+c.Address("b"), "host: b, address: 10.99.0.1", 1)
	out, err := check(beside)
	want := "submode off-path wants its address 10.99.0.1 on a function of the BlueField, found it on eth9"
	if err == nil || !strings.Contains(out, want) {
		t.Errorf("beside the card: %v\n%s", err, out)
	}
	c.fault(t, "off-path")
	out, err = check(bed)
	for _, want := range []string{
		"in bridge ovsbr1, so that its address is dead", "$ ovs-vsctl del-port ovsbr1 p0\n",
		`$ echo 'CREATE_OVS_BRIDGES="no"' >>/etc/mellanox/mlnx-ovs.conf`,
	} {
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("separated: %v, want %q in\n%s", err, want, out)
		}
	}
}
