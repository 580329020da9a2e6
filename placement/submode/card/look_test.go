package card

import (
	"os"
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
)

// sysfs makes a tree like /sys: a file for each text, and a link for each target.
func sysfs(t *testing.T, files, links map[string]string) string {
	t.Helper()
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	for name, text := range files {
		name = filepath.Join(root, name)
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for name, target := range links {
		name = filepath.Join(root, name)
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must.Do(t, os.Symlink(filepath.Join(root, target), name))
	}
	return root
}

// TestLook finds the card behind each kind of interface, and no card behind the others.
func TestLook(t *testing.T) {
	const card, nic = "devices/pci0000:00/0000:03:00.0", "devices/pci0000:00/0000:05:00.0"
	sys := sysfs(t, map[string]string{
		card + "/vendor": "0x15b3\n", card + "/device": "0xa2dc\n",
		card + "/mlx5_core.sf.2/sfnum":                 "0\n",
		"devices/pci0000:00/0000:03:00.2/vendor":       "0x15b3\n",
		"devices/pci0000:00/0000:03:00.2/device":       "0x101e\n", // a virtual function
		nic + "/vendor":                                "0x8086\n",
		nic + "/device":                                "0x1592\n",
		"class/net/bond0/type":                         "1\n",
		"class/net/lo/type":                            "772\n",
		"class/net/tmfifo_net0/type":                   "1\n",
		"devices/pci0000:00/0000:03:00.0/net/p0/type":  "1\n",
		"devices/pci0000:00/0000:05:00.0/net/e0/type":  "1\n",
		"devices/pci0000:00/0000:03:00.2/net/v0/type":  "1\n",
		"devices/pci0000:00/0000:03:00.0/net/sf0/type": "1\n",
	}, map[string]string{
		"bus/pci/devices/0000:03:00.0": card, "bus/pci/devices/0000:05:00.0": nic,
		"bus/pci/devices/0000:03:00.2":           "devices/pci0000:00/0000:03:00.2",
		"devices/pci0000:00/0000:03:00.2/physfn": card,
		"class/net/p0/device":                    card, "class/net/e0/device": nic,
		"class/net/v0/device":      "devices/pci0000:00/0000:03:00.2",
		"class/net/sf0/device":     card + "/mlx5_core.sf.2",
		"class/net/vlan7/lower_p0": "class/net/p0", "class/net/bond0/lower_vlan7": "class/net/vlan7",
	})
	n := here(t, map[string]string{"ip": `cat <<'END'
[{"ifname":"lo","addr_info":[{"local":"127.0.0.1"}]},
 {"ifname":"p0","addr_info":[{"local":"192.0.2.1"}]},{"ifname":"e0","addr_info":[{"local":"192.0.2.2"}]},
 {"ifname":"v0","addr_info":[{"local":"192.0.2.3"}]},{"ifname":"sf0","addr_info":[{"local":"192.0.2.4"}]},
 {"ifname":"vlan7","addr_info":[]},{"ifname":"bond0","addr_info":[{"local":"192.0.2.5"}]},
 {"ifname":"tmfifo_net0","addr_info":[{"local":"192.168.100.1"}]}]
END
`})
	for address, want := range map[string]struct {
		card, sf, management bool
	}{
		"127.0.0.1": {}, "192.0.2.2": {},
		"192.0.2.1": {card: true}, "192.0.2.3": {card: true}, "192.0.2.5": {card: true},
		"192.0.2.4":     {card: true, sf: true},
		"192.168.100.1": {management: true},
	} {
		out := must.Get(n.Run(t.Context(), look(sys, address)))(t)
		seen := must.Get(parseLook(out))(t)
		seen.addresses = append(seen.addresses, address)
		if len(seen.Functions) != 1 || seen.Functions[0] != (Function{"0000:03:00.0", "bf3"}) {
			t.Errorf("found the cards %v", seen.Functions)
		}
		it := seen.OfAddress()
		if it == nil {
			t.Errorf("%s: found no interface", address)
			continue
		}
		if f := seen.Behind(it); (f != nil) != want.card || it.ScalableFunction() != want.sf ||
			it.Management() != want.management {
			t.Errorf("%s: found %s with %v, want %+v", address, it.Name, f, want)
		}
	}
}

// TestLookByName: an address may be a name, which the node itself resolves.
func TestLookByName(t *testing.T) {
	n := here(t, map[string]string{
		"ip":     `echo '[{"ifname":"p0","addr_info":[{"local":"192.0.2.1"}]}]'`,
		"getent": "echo '192.0.2.1 STREAM a.lab'\n",
	})
	seen, err := Look(t.Context(), n, "a.lab")
	if it := seen.OfAddress(); err != nil || it == nil || it.Name != "p0" {
		t.Errorf("found %+v, %v", it, err)
	}
}
