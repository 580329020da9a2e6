package testbed

import (
	"strings"
	"testing"
)

// TestHostKeyAliases: two cards with one address behind different hosts have different names for
// their keys. Where ssh's own name is enough, it stays.
func TestHostKeyAliases(t *testing.T) {
	const bed = `nodes:
  a: {via: ssh, address: 10.10.10.1, host: a.lab}
  b: {via: ssh, address: 10.10.10.3, host: b.lab}
  dpuA: {kind: dpu, of: a, via: ssh, host: 192.168.100.2, jump: a.lab, address: 10.10.10.2}
  dpuB: {kind: dpu, of: b, via: ssh, host: 192.168.100.2, jump: "me@b.lab,c.lab", address: 10.10.10.4}
  other: {via: ssh, host: 192.168.100.3, jump: b.lab, address: 10.10.10.5}
  port: {via: ssh, host: 192.168.100.2, port: 2222, jump: b.lab, address: 10.10.10.6}
client_side: a
server_side: b
`
	got := parsedBed(t, bed)
	for name, want := range map[string]string{
		"a": "", "other": "", "port": "",
		"dpuA": "a.lab+192.168.100.2", "dpuB": "me@b.lab-c.lab+192.168.100.2",
	} {
		if n := got.Node(name); n.HostKeyAlias != want {
			t.Errorf("%s: got %q, want %q", name, n.HostKeyAlias, want)
		}
	}
	one, err := Parse("t.yaml", []byte(strings.ReplaceAll(bed, `"me@b.lab,c.lab"`, "a.lab")))
	if err != nil || one.Node("dpuA").HostKeyAlias != "" {
		t.Errorf("one machine: %v, %v", one.Node("dpuA"), err)
	}
}
