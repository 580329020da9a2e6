package cardreport

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
)

const pci = "0000:03:00.0"

// shims are a BlueField-2 in DPU mode as DOCA 2.x leaves it, written from NVIDIA's documents: no
// output here comes from a card.
var shims = map[string]string{
	"mlxconfig": `case "$*" in *MODEL*|*query) echo '
Device #1:
Configurations:                Default             Current             Next Boot
        INTERNAL_CPU_MODEL     EMBEDDED_CPU(1)     EMBEDDED_CPU(1)     SEPARATED_HOST(0)';; esac
case "$*" in *ENGINE*|*query) echo '
        INTERNAL_CPU_OFFLOAD_ENGINE     ENABLED(0)     ENABLED(0)     ENABLED(0)';; esac`,
	"devlink": `case "$*" in
*eswitch*) echo "pci/0000:03:00.0: mode switchdev inline-mode none encap-mode basic";;
*enable_roce*) echo "pci/0000:03:00.0:
  name enable_roce type generic
    values:
      cmode driverinit value true";;
*"dev info"*) echo "pci/0000:03:00.0:
  driver mlx5_core
  serial_number MT2143X12345
  board.serial_number MT2143X12345";;
esac`,
	"ip": `case "$*" in
*link*) echo '[{"ifname":"lo","mtu":65536},{"ifname":"oob_net0","mtu":1500,"address":"b8:ce:f6:11:22:33"},{"ifname":"p0","mtu":9000,"address":"b8:ce:f6:11:22:34"},{"ifname":"pf0hpf","mtu":1500},{"ifname":"ovsbr1","mtu":1500}]';;
*address*) echo '[{"ifname":"oob_net0","addr_info":[{"local":"10.1.0.5"},{"local":"fe80::bace:f6ff:fe11:2233"}]},{"ifname":"p0","addr_info":[{"local":"192.168.200.2"}]},{"ifname":"ovsbr1","addr_info":[{"local":"10.1.9.9"}]}]';;
esac`,
	"ovs-vsctl": `case "$*" in
--version) echo "ovs-vsctl (Open vSwitch) 2.17.8-1d1af";;
*list-br) echo ovsbr1;;
*datapath_type) echo '""';;
*list-ports*) printf 'p0\npf0hpf\nen3f0pf0sf0\n';;
*other_config) echo '{doca-init="true", hw-offload="true"}';;
*"list Open"*) echo 'external_ids : {hostname=card7.example.org, system-id="3f0b8a66-1111-2222-3333-444455556666"}';;
esac`,
	"ovs-appctl": `case "$*" in
*dpif/show) printf 'system@ovs-system: hit:10 missed:2\n  ovsbr1:\n    p0 2/2: (system)\n';;
esac`,
	"systemctl": `test "$1" = is-active || exit 0; test "$2" = openvswitch-switch && echo active || { echo inactive; exit 3; }`,
	"getconf":   `echo 65536`,
	"lspci":     `echo "[SN] Serial number: MT2143X12345"`,
}

// fakeCard puts the shims into the PATH, changed ones over the others, and returns a sysfs.
func fakeCard(t *testing.T, changed map[string]string) (sys string) {
	t.Helper()
	programs.First(t, shims)
	programs.First(t, changed)
	sys = t.TempDir()
	const device = "bus/pci/devices/" + pci
	for name, text := range map[string]string{
		device + "/vendor": "0x15b3\n", device + "/class": "0x020000\n", device + "/device": "0xa2d6\n",
		"class/net/p0/device/vendor": "0x15b3\n",
	} {
		file := filepath.Join(sys, name)
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return sys
}

// TestNotRun: without root, a probe that needs it is not run and says so. One whose program is
// missing keeps the error. The mode comes from a query that needs no root of its own.
func TestNotRun(t *testing.T) {
	sys := fakeCard(t, map[string]string{"devlink": "echo no such thing >&2; exit 7"})
	r := collect(t.Context(), sys, 1000)
	if a := r.get(datapathProbe); a == nil || a.Exit != -1 || !strings.Contains(a.NotRun, "sudo: true") {
		t.Errorf("found %+v, want that it needs root", a)
	}
	if a := r.get("devlink"); a == nil || a.Exit != 7 || a.Stderr != "no such thing\n" {
		t.Errorf("found %+v, want status 7", a)
	}
	if a := r.get(modeProbe + pci); a == nil || a.NotRun != "" {
		t.Errorf("found %+v, want it run", a)
	}
}
