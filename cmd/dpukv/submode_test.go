package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSubmode does by hand, in namespaces that a user made, what the README shows: plan, apply, verify, undo.
func TestSubmode(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	for _, tool := range []string{"ip", "tc", "ping"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("install iproute2 and iputils-ping: ", err)
		}
	}
	dir := t.TempDir()
	binary, file := filepath.Join(dir, "dpukv"), filepath.Join(dir, "bed.yaml")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	name := func(machine string) string { return fmt.Sprintf("dpukv-test-%d-%s", os.Getpid(), machine) }
	t.Cleanup(func() {
		for _, m := range []string{"a", "b", "d"} {
			_ = exec.Command("ip", "netns", "del", name(m)).Run()
		}
	})
	shell(t, fmt.Sprintf(`
for n in %[1]s %[2]s %[3]s; do ip netns add $n; done
ip link add name eth0 netns %[1]s type veth peer name p0 netns %[3]s
ip link add name eth0 netns %[2]s type veth peer name hpf netns %[3]s
ip -n %[1]s address add 10.9.0.1/24 dev eth0
ip -n %[2]s address add 10.9.0.2/24 dev eth0
ip -n %[1]s link set eth0 up
ip -n %[2]s link set eth0 up`, name("a"), name("b"), name("d")))
	bed := fmt.Sprintf(`
nodes:
  a: {kind: host, via: netns, namespace: %s, address: 10.9.0.1}
  b: {kind: host, via: netns, namespace: %s, address: 10.9.0.2}
  d: {kind: dpu, of: b, via: netns, namespace: %s, address: 10.9.0.3, datapath: {host: hpf, sm4: tc-u32}}
client_side: [a]
server_side: [b]
`, name("a"), name("b"), name("d"))
	if err := os.WriteFile(file, []byte(bed), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		command, want string
		fails         bool
	}{
		{"plan 4", "tc filter add dev p0 parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev hpf", false},
		{"verify 4", "found nothing applied, allowed: sm4; dpukv submode apply 4", true},
		{"apply 4", "sm4 is applied to node d: tc-u32", false},
		{"verify 5", "found sm4 applied, allowed: sm5", true},
		{"verify 4", "pings took it", false},
		{"undo 4", "node d is as it was", false},
		{"verify 4", "found nothing applied", true},
		{"undo 4", "node d is as it was", false},
		{"apply 6", `found this name, allowed: off-path, direct, sm1`, true},
		{"apply 3 --filter drop-client:10.9.0.1", "forwards without a look at the packets", true},
		{"apply 1 --node b", "found node b, allowed: a DPU of testbed", true},
		{"apply 4 --datapath bridge", "allowed on target linux: ovs-flower, tcx, tc-u32", true},
	} {
		args := append([]string{"submode"}, strings.Fields(step.command)...)
		out, err := exec.CommandContext(t.Context(), binary, append(args, "--testbed", file)...).CombinedOutput()
		if (err != nil) != step.fails || !strings.Contains(string(out), step.want) {
			t.Errorf("submode %s: got %v, %s, want %q", step.command, err, out, step.want)
		}
	}
}

func shell(t *testing.T, script string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "sh", "-euc", script).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
