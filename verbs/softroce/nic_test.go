package softroce

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// fakeSysfs has a port of mlx5 below a VLAN, a scalable function, and a port of another driver.
func fakeSysfs(t *testing.T) string {
	t.Helper()
	sys := t.TempDir()
	link := func(from, to string) {
		t.Helper()
		to = filepath.Join(sys, to)
		for _, dir := range []string{filepath.Dir(filepath.Join(sys, from)), to} {
			must.Do(t, os.MkdirAll(dir, 0o755))
		}
		must.Do(t, os.Symlink(to, filepath.Join(sys, from)))
	}
	link("class/net/p0/device", "devices/0000:03:00.0")
	link("devices/0000:03:00.0/driver", "bus/pci/drivers/mlx5_core")
	link("class/net/p0.7/lower_p0", "devices/net/p0")
	link("class/net/sf0/device", "devices/mlx5_core.sf.2")
	link("devices/mlx5_core.sf.2/driver", "bus/auxiliary/drivers/mlx5_core.sf")
	link("class/net/eth0/device", "devices/0000:05:00.0")
	link("devices/0000:05:00.0/driver", "bus/pci/drivers/ixgbe")
	return sys
}

// fakeDevlink is found in PATH before the real one.
func fakeDevlink(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "devlink"), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// answers prints what devlink prints for the device in its fifth argument.
func answers(value string) string {
	return fmt.Sprintf(`[ "$*" = "-j dev param show $5 name enable_roce" ] || exit 9
echo '{"param":{"'$5'":[{"name":"enable_roce","type":"generic","values":[{"cmode":"driverinit","value":%s}]}]}}'`, value)
}

// TestCheckInterface: on a port of mlx5 with RoCE enabled, the device would receive nothing.
func TestCheckInterface(t *testing.T) {
	sys, addr := fakeSysfs(t), netip.MustParseAddr("192.0.2.1")
	for _, test := range []struct {
		name, devlink string
		want          []string // nil: allowed
		unknown       bool
	}{
		{"eth0", "exit 1", nil, false},
		{"lo", "exit 1", nil, false},
		{"p0", answers("false"), nil, false},
		{"p0", answers("true"), []string{
			"192.0.2.1", "interface p0",
			"devlink dev param set pci/0000:03:00.0 name enable_roce value false cmode driverinit\n",
			"devlink dev reload pci/0000:03:00.0\n",
		}, false},
		{"p0.7", answers("true"), []string{"interface p0.7", "devlink dev reload pci/0000:03:00.0\n"}, false},
		{"sf0", answers("true"), []string{"devlink dev reload auxiliary/mlx5_core.sf.2\n"}, false},
		{"p0", "echo 'No such device' >&2; exit 1", []string{"pci/0000:03:00.0", "No such device"}, true},
		{"p0", "echo '{\"param\":{}}'", []string{"no value"}, true},
		{"p0", "echo nonsense", []string{"devlink -j dev param show"}, true},
	} {
		fakeDevlink(t, test.devlink)
		err := checkInterface(sys, test.name, addr)
		if (err != nil) != (test.want != nil) || errors.Is(err, errUnknownRoCE) != test.unknown {
			t.Errorf("%s, %s: found %v", test.name, test.devlink, err)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: found %v, want %q", test.name, err, want)
			}
		}
	}
}

// TestOpenChecksTheNIC opens a device at an address whose interface pretends to be a port of mlx5.
func TestOpenChecksTheNIC(t *testing.T) {
	if err := checkNIC(fakeSysfs(t), netip.MustParseAddr("127.0.0.1")); err != nil {
		t.Errorf("loopback: %v", err)
	}
	refusal := errors.New("the NIC takes it")
	check := func(want error) hooks {
		return hooks{checkNIC: func(string, netip.Addr) error { return want }}
	}
	opts := Options{Addr: testAddr(), hooks: check(refusal)}
	if _, err := Open(opts); !errors.Is(err, refusal) {
		t.Errorf("Open = %v, want the refusal", err)
	}
	opts.hooks = check(fmt.Errorf("%w: no devlink", errUnknownRoCE))
	d := must.Get(Open(opts))(t)
	defer d.Close()
	if name := d.Info().Name; !strings.Contains(name, errUnknownRoCE.Error()) {
		t.Errorf("the name %q does not say that RoCE's state is unknown", name)
	}
}
