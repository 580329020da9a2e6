package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"

	"golang.org/x/sys/unix"
)

// TestSubmode does by hand, in namespaces that a user made, what docs/tasks/submodes.md shows:
// plan, apply, verify, undo.
func TestSubmode(t *testing.T) {
	binary, file, _ := namespacesForSubmode(t)
	submodeSteps(t, binary, file, []submodeStep{
		{"plan 4", "tc filter add dev p0 ingress pref 55767 protocol all u32 match u32 0 0 action mirred egress " +
			"redirect dev hpf", false},
		{"verify 4", "found nothing applied, allowed: sm4; dpukv testbed submode apply 4", true},
		{"apply 4", "sm4 is applied to node d: tc-u32", false},
		{"verify 5", "found sm4 applied, allowed: sm5", true},
		{"verify 4", "pings took it", false},
		{"undo 4", "node d is as it was", false},
		{"verify 4", "found nothing applied", true},
		{"undo 4", "node d is as it was", false},
		{"apply 6", `submode: found "6", allowed: 1 to 5`, true},
		{"apply 3 --filter count-opcode", "librte_bpf gives a program no memory to count in", true},
		{"apply 1 --node b", "found node b, allowed: a DPU of testbed", true},
		{"apply 4 --datapath bridge", "allowed on target linux: ovs-flower, tcx, tc-u32", true},
	})
}

// namespacesForSubmode makes two hosts and a DPU between them in namespaces, as a user would. dpu is
// the DPU's.
func namespacesForSubmode(t *testing.T) (binary, file, dpu string) {
	t.Helper()
	binary, file = forSubmode(t)
	name := func(machine string) string { return fmt.Sprintf("dpukv-test-%d-%s", os.Getpid(), machine) }
	t.Cleanup(func() {
		// undoes a step that should have failed but did not
		_ = exec.Command(binary, "testbed", "submode", "undo", "4", "--testbed", file).Run()
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
	must.Do(t, os.WriteFile(file, []byte(bed), 0o600))
	return binary, file, name("d")
}

// TestSubmodeFor: the DPU undoes by itself, also after its orchestrator was killed in the middle of
// an apply. An undo ends the timer, and another apply renews it.
func TestSubmodeFor(t *testing.T) {
	binary, file, dpu := namespacesForSubmode(t)
	submodeSteps(t, binary, file, []submodeStep{
		{"plan 4 --for 5m", "dpukv undo-after --for=5m0s --target=linux --folder=/run/dpukv/submode/net-MARK", false},
		{"apply 4 --for 1ms", "found 1ms, allowed: 1s to 24h0m0s", true},
		{"apply 4 --for 20m", "Node d undoes it by itself after 20m0s", false},
		{"verify 4", "pings took it", false},
	})
	first := timersOf(t)
	submodeSteps(t, binary, file, []submodeStep{{"apply 4 --for 20m", "is applied", false}})
	if second := timersOf(t); len(first) != 1 || len(second) != 1 || first[0] == second[0] {
		t.Errorf("found the timers %v, then %v, want another one each", first, second)
	}
	submodeSteps(t, binary, file, []submodeStep{{"undo 4", "node d is as it was", false}})
	if left := timersOf(t); len(left) != 0 {
		t.Errorf("after the undo: found the timers %v", left)
	}

	submodeSteps(t, binary, file, []submodeStep{{"apply 4 --for 1s", "is applied", false}})
	awaitNothingApplied(t, dpu)

	// tc stops in the middle: the first port has its rule, and the orchestrator is killed.
	dir := t.TempDir()
	tc, _ := exec.LookPath("tc")
	shim := fmt.Sprintf("#!/bin/sh\n"+
		"case \"$*\" in *'filter add dev hpf'*) : >%s/reached; exec sleep 600;; esac\nexec %s \"$@\"\n",
		dir, tc)
	must.Do(t, os.WriteFile(filepath.Join(dir, "tc"), []byte(shim), 0o755))
	cmd := exec.Command(binary, "testbed", "submode", "apply", "4", "--for", "2s", "--testbed", file)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	must.Do(t, cmd.Start())
	shell(t, fmt.Sprintf("for i in $(seq 300); do test -e %[1]s/reached && exit; sleep 0.1; done; exit 1", dir))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	shell(t, fmt.Sprintf("for p in $(ip netns pids %s); do tr '\\0' ' ' </proc/$p/cmdline | grep -q '^sleep 600' && "+
		"kill $p; done; true", dpu))
	awaitNothingApplied(t, dpu)
	submodeSteps(t, binary, file, []submodeStep{{"verify 4", "found nothing applied", true}})
}

// timersOf lists the processes of timers on this machine.
func timersOf(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c",
		`grep -lazxF -e --wait /proc/[0-9]*/cmdline 2>/dev/null | xargs -r grep -lazxF -e undo-after 2>/dev/null; true`).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// awaitNothingApplied waits until no rule and no mark is left in the DPU's namespace.
func awaitNothingApplied(t *testing.T, dpu string) {
	t.Helper()
	shell(t, fmt.Sprintf(`
for i in $(seq 300); do
	if ! ip -n %[1]s link show | grep -q 'altname dpukv-' && ! tc -n %[1]s filter show dev p0 ingress 2>/dev/null | grep -q redirect
	then exit 0; fi
	sleep 0.1
done
ip -n %[1]s link show
exit 1`, dpu))
}

// forSubmode skips a test that cannot apply datapaths, or takes long to.
func forSubmode(t *testing.T) (binary, file string) {
	t.Helper()
	if os.Getenv("SUBMODE_REQUIRE") == "" {
		t.Skip("it applies datapaths again and again: make test-lab runs it")
	}
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	programs.Need(t, "ip", "tc", "ping")
	return command(t), filepath.Join(t.TempDir(), "bed.yaml")
}

type submodeStep struct {
	command, want string
	fails         bool
}

func submodeSteps(t *testing.T, binary, file string, steps []submodeStep) (out string) {
	t.Helper()
	for _, step := range steps {
		args := append([]string{"testbed", "submode"}, strings.Fields(step.command)...)
		text, err := exec.CommandContext(t.Context(), binary, append(args, "--testbed", file)...).CombinedOutput()
		if out = string(text); (err != nil) != step.fails || !strings.Contains(out, step.want) {
			t.Errorf("submode %s: got %v, %s, want %q", step.command, err, out, step.want)
		}
	}
	return out
}

// TestSubmodeMakesMachines does the same on machines that apply creates and undo removes. Undo also
// works after the process that holds the machines was killed.
func TestSubmodeMakesMachines(t *testing.T) {
	kernel.NeedEthtool(t)
	binary, file := forSubmode(t)
	const bed = `
nodes:
  a: {kind: host, via: netns}
  b: {kind: host, via: netns}
  c: {kind: dpu, of: a, via: netns, profile: none}
  d: {kind: dpu, of: b, via: netns, profile: bf2, datapath: {sm4: tc-u32, sm5: tc-u32}}
client_side: [a, c]
server_side: [b, d]
`
	must.Do(t, os.WriteFile(file, []byte(bed), 0o600))
	t.Cleanup(func() { _ = exec.Command(binary, "testbed", "submode", "undo", "4", "--testbed", file).Run() })
	out := submodeSteps(t, binary, file, []submodeStep{
		{"plan 4", "tc filter add dev p0", false},
		{"verify 4", "found nothing applied, allowed: sm4; dpukv testbed submode apply 4", true},
		{"undo 4", "node d is as it was", false},
		{"apply direct", `submode: found "direct", allowed: 1 to 5`, true},
		{"apply 4 --node c", "the DPU of a host on the server side", true},
		{"apply 5", "sm5 is applied to node d: tc-u32", false},
		{"verify 4", "found sm5 applied, allowed: sm4", true},
		{"verify 5", "pings took it", false},
		{"apply 4", "b 198.18.0.2: nsenter --net=/proc/", false},
	})
	keeper := keeperIn(t, out)
	submodeSteps(t, binary, file,
		[]submodeStep{
			{"verify 4", "pings took it", false},
			{"undo 4", "node d is as it was", false},
			{"verify 4", "found nothing applied", true},
		})
	nothingOf(t, keeper)

	killed := "4"
	if _, err := exec.LookPath("ovs-vswitchd"); err == nil {
		killed = "1 --datapath ovs-netdev" // which leaves processes
	}
	keeper = keeperIn(t,
		submodeSteps(t, binary, file, []submodeStep{{"apply " + killed, "is applied to node d", false}}))
	shell(t, "kill -9 "+keeper)
	submodeSteps(t, binary, file,
		[]submodeStep{
			{"verify " + killed, "found its machines gone", true},
			{"undo " + killed, "node d is as it was", false},
		})
	nothingOf(t, keeper)
}

const twoHosts = `
nodes:
  a: {kind: host, via: netns}
  b: {kind: host, via: netns}
  d: {kind: dpu, of: b, via: netns, profile: none, datapath: {sm4: tc-u32}}
client_side: [a]
server_side: [b, d]
`

// TestSubmodeLocksTheTestbed: commands that change the applied state lock it exclusively, commands
// that read it share a lock, and plan takes none.
func TestSubmodeLocksTheTestbed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bed.yaml")
	nowhere := strings.NewReplacer("profile: none, ", "", "via: netns",
		"via: netns, namespace: dpukv-test-nowhere, address: 10.9.0.1")
	// read-only: nothing may change there
	must.Do(t, os.WriteFile(file, []byte(nowhere.Replace(twoHosts)), 0o400))
	f := must.Get(os.Open(file))(t)
	defer f.Close()
	inUse := fmt.Sprintf("testbed %s: found it in use by PID %d (%s", file, os.Getpid(), os.Args[0])
	for _, test := range []struct {
		lock          int
		command, want string
	}{
		{unix.LOCK_EX, "apply", inUse},
		{unix.LOCK_EX, "undo", inUse},
		{unix.LOCK_EX, "verify", inUse},
		{unix.LOCK_EX, "plan", ""},
		{unix.LOCK_SH, "apply", inUse},
		{unix.LOCK_SH, "undo", inUse},
		{unix.LOCK_SH, "verify", "node d"},
		{unix.LOCK_UN, "apply", "node d"},
	} {
		must.Do(t, unix.Flock(int(f.Fd()), test.lock))
		cmd := newRootCommand()
		cmd.SetOut(io.Discard)
		cmd.SetArgs([]string{"testbed", "submode", test.command, "4", "--testbed", file})
		err := cmd.ExecuteContext(t.Context())
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s with lock %d: found %v, want %q", test.command, test.lock, err, test.want)
		}
	}
}

// keeperIn finds the process that holds the machines in the output of apply.
func keeperIn(t *testing.T, out string) string {
	t.Helper()
	_, rest, _ := strings.Cut(out, "nsenter --net=/proc/")
	pid, _, ok := strings.Cut(rest, "/")
	if !ok {
		t.Fatalf("found no machine in %q", out)
	}
	return pid
}

// nothingOf checks that the keeper, its control group, and its entries in the folders of applied
// state are gone.
func nothingOf(t *testing.T, keeper string) {
	t.Helper()
	shell(t, fmt.Sprintf(`
for i in $(seq 50); do test -d /proc/%[1]s || break; sleep 0.1; done
test ! -d /proc/%[1]s
if find /sys/fs/cgroup -type d -name 'dpukv-lab-*-%[1]s-*' | grep .; then exit 1; fi
if grep -rl '"pid":%[1]s\b\|"Owner":"%[1]s ' /run/dpukv 2>/dev/null; then exit 1; fi`, keeper))
}

func shell(t *testing.T, script string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "sh", "-euc", script).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
