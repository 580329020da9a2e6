package run

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/daemon"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/internal/test/testbeds"
	"dpukv/placement/node"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// sweepCommand returns the real program's command for a sweep over a testbed, with a temporary
// folder of its own.
func sweepCommand(t *testing.T, sweep, bed string, flags ...string) (cmd *exec.Cmd, runDir, temp string) {
	t.Helper()
	dir := t.TempDir()
	runDir, temp = filepath.Join(dir, "run"), filepath.Join(dir, "tmp")
	for name, text := range map[string]string{"sweep.yaml": sweep, "bed.yaml": bed} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	must.Do(t, os.Mkdir(temp, 0o755))
	argv := append([]string{
		"sweep", "-f", filepath.Join(dir, "sweep.yaml"), "--testbed",
		filepath.Join(dir, "bed.yaml"), "--out", runDir,
	}, flags...)
	cmd = exec.Command(programs.DPUKV(t), argv...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	return cmd, runDir, temp
}

// processesOf returns the processes that run a program.
func processesOf(program string) (pids []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && strings.TrimSuffix(exe, " (deleted)") == program {
			pids = append(pids, strings.Split(link, "/")[2])
		}
	}
	return pids
}

// networksOf returns the network namespaces of processes, except this one. The main thread may be in
// that of a daemon.
func networksOf(pids []string) (nets []string) {
	own, _ := os.Readlink("/proc/thread-self/ns/net")
	for _, pid := range pids {
		if ns, err := os.Readlink("/proc/" + pid + "/ns/net"); err == nil && ns != own && !slices.Contains(nets, ns) {
			nets = append(nets, ns)
		}
	}
	return nets
}

// processesIn returns the processes in some network namespaces.
func processesIn(nets []string) (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		if ns, err := os.Readlink(filepath.Join(dir, "ns/net")); err == nil && slices.Contains(nets, ns) {
			pids = append(pids, filepath.Base(dir))
		}
	}
	return pids
}

// groupsOf returns the folders of processes' CPU groups, except this process's own.
func groupsOf(pids []string) (dirs []string) {
	own, _ := os.ReadFile("/proc/self/cgroup")
	for _, pid := range pids {
		text, _ := os.ReadFile("/proc/" + pid + "/cgroup")
		for line := range strings.Lines(string(text)) {
			parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
			if len(parts) != 3 || bytes.Contains(own, []byte(line)) {
				continue
			}
			for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/" + parts[1]} {
				if dir := filepath.Join(mount, parts[2]); isDir(dir) && !slices.Contains(dirs, dir) {
					dirs = append(dirs, dir)
				}
			}
		}
	}
	return dirs
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// TestKilledSweepLeavesNothing kills the orchestrator of a sweep over emulated machines, in the
// middle of a point with two clients. Nothing of it stays: no process, no network namespace, no
// control group, no file.
func TestKilledSweepLeavesNothing(t *testing.T) {
	needLab(t)
	cmd, runDir, temp := sweepCommand(t, strings.Replace(shortPoints, "300ms", "20s", 1)+"placement: [CDH-SH]\n",
		testbeds.FourMachines)
	var stderr node.TailBuffer
	cmd.Stderr = &stderr
	must.Do(t, cmd.Start())
	var pids, nets, groups []string
	// They are orchestrator, keeper, server and two clients. The cores of dpuA are weaker. A process
	// gets its network and its control group after its start.
	waitFor(t, "five processes on three machines, and a control group", func() bool {
		pids = processesOf(cmd.Path)
		nets, groups = networksOf(pids), groupsOf(pids)
		return len(pids) >= 5 && len(nets) >= 3 && len(groups) > 0
	})
	inside := processesIn(nets)
	cmd.Process.Kill()
	cmd.Wait()
	waitFor(t, "the end of all processes", func() bool { return len(processesOf(cmd.Path)) == 0 })
	waitFor(t, "the end of all control groups: "+fmt.Sprint(groups), func() bool {
		return !slices.ContainsFunc(groups, isDir)
	})
	// The kernel reuses a namespace's inode at once, for other tests. So only processes that were
	// in the namespace can be left over.
	for _, pid := range processesIn(nets) {
		if slices.Contains(inside, pid) {
			t.Errorf("process %s is still there, in a network namespace of the sweep", pid)
		}
	}
	if files, _ := os.ReadDir(temp); len(files) > 0 {
		t.Errorf("left in the temporary folder: %v", files)
	}
	if _, err := runfolder.Open(runDir); err != nil {
		t.Errorf("the run folder: %v", err)
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// sshBed returns a testbed with the client here and the server behind ssh in a network namespace.
func sshBed(n *daemon.Net, s *daemon.SSHServer) string {
	return fmt.Sprintf(`nodes:
  near: {address: %s, rdma: {device: softroce}}
  far: {via: ssh, host: %s, port: %d, user: %s, identity: %s, known_hosts: %s, ssh_config: /dev/null, address: %s, rdma: {device: softroce}}
client_side: near
server_side: far
`, n.Here, s.Address, s.Port, s.User, s.Identity, s.KnownHosts, n.There)
}

// TestSweepOverSSH measures both stores between this machine and one behind a real sshd. The binary
// is copied once.
func TestSweepOverSSH(t *testing.T) {
	program := programs.DPUKV(t)
	n := daemon.NewNet(t)
	s := daemon.StartSSH(t, daemon.SSHOptions{Net: n})
	cmd, runDir, _ := sweepCommand(t, longerPoints, sshBed(n, s))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	points := readPoints(t, runDir)
	for _, p := range points {
		if err := results.Validate(&p); err != nil || p.Status != results.StatusOK || p.ServerNode.Node != "far" ||
			p.Clients[0].Node.Node != "near" || !strings.HasPrefix(p.ServerAddr, n.There+":") {
			t.Errorf("%s: %s %s %v, server %+v at %s", p.ID, p.Status, p.Error, err, p.ServerNode, p.ServerAddr)
		}
		if p.EmulatedTestbed != "" {
			t.Errorf("%s: machines behind ssh are taken for emulated ones", p.ID)
		}
	}
	if len(points) != 2 {
		t.Errorf("%d points, want one of each store", len(points))
	}
	copies, _ := filepath.Glob(filepath.Join(s.Cache, "dpukv/bin/*/dpukv"))
	if len(copies) != 1 {
		t.Errorf("copies of the binary: %v, want one", copies)
	}
	if len(processesOf(program)) > 0 || len(copies) > 0 && len(processesOf(copies[0])) > 0 {
		t.Error("a process was left")
	}
}

// startFarServer starts a sweep of one long point over ssh, and returns once its server runs there.
func startFarServer(
	t *testing.T, s *daemon.SSHServer, bed string,
) (cmd *exec.Cmd, copied string, stderr *node.TailBuffer) {
	t.Helper()
	cmd, _, _ = sweepCommand(t,
		"store: mica\nget_ratio: 1\nkeys: 1000\nclient_threads: 1\nduration: 60s\nrepeats: 1\n", bed)
	stderr = new(node.TailBuffer)
	cmd.Stderr = stderr
	must.Do(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() }) // if the test gave up
	waitFor(t, "the server on its node", func() bool {
		copies, _ := filepath.Glob(filepath.Join(s.Cache, "dpukv/bin/*/dpukv"))
		if len(copies) == 1 {
			copied = copies[0]
		}
		return copied != "" && len(processesOf(copied)) > 0
	})
	return cmd, copied, stderr
}

// TestKilledSweepLeavesNothingBehindSSH: the server on the other machine ends with the
// orchestrator.
func TestKilledSweepLeavesNothingBehindSSH(t *testing.T) {
	programs.DPUKV(t)
	n := daemon.NewNet(t)
	s := daemon.StartSSH(t, daemon.SSHOptions{Net: n})
	cmd, copied, _ := startFarServer(t, s, sshBed(n, s))
	cmd.Process.Kill()
	cmd.Wait()
	waitFor(t, "the end of all processes", func() bool {
		return len(processesOf(cmd.Path))+len(processesOf(copied)) == 0
	})
}

// TestSSHConnectionLost: ssh breaks in the middle of a point. The point fails within seconds, with
// a node's name.
func TestSSHConnectionLost(t *testing.T) {
	programs.DPUKV(t)
	n := daemon.NewNet(t)
	s := daemon.StartSSH(t, daemon.SSHOptions{Net: n})

	cmd, _, stderr := startFarServer(t, s, sshBed(n, s))
	time.Sleep(500 * time.Millisecond) // into the measurement, mostly; the point has to fail wherever it is
	n.Cut(t)
	cut := time.Now()
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("the sweep ended with %v, want exit status 1", err)
	}
	t.Logf("%v after the link was cut:%s", time.Since(cut), stderr.Lines())
	if want := "node far: the connection to " + n.There + " is lost"; !strings.Contains(stderr.Lines(), want) {
		t.Errorf("got%s, want %q", stderr.Lines(), want)
	}
}

// TestUnknownHostKeyIsRefused: the sweep measures nothing, and its error tells what to do.
func TestUnknownHostKeyIsRefused(t *testing.T) {
	programs.DPUKV(t)
	n := daemon.NewNet(t)
	s := daemon.StartSSH(t, daemon.SSHOptions{Net: n})
	must.Do(t, os.WriteFile(s.KnownHosts, nil, 0o600))
	cmd, runDir, _ := sweepCommand(t, shortPoints, sshBed(n, s))
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "node far: ") || !strings.Contains(string(out), "is not known") {
		t.Errorf("got %v\n%s", err, out)
	}
	for _, p := range readPoints(t, runDir) {
		if p.Status == results.StatusOK {
			t.Errorf("%s was measured", p.ID)
		}
	}
}

// TestSweepUnderSlurm measures with a server that srun starts in an allocation.
func TestSweepUnderSlurm(t *testing.T) {
	programs.DPUKV(t)
	c := daemon.StartSlurm(t)
	job := c.Allocate(t)
	bed := fmt.Sprintf("nodes:\n  near: {}\n  far: {via: slurm, slurm_node: %s, job: %q, address: 127.0.0.1, binary: "+
		"%s}\nclient_side: near\nserver_side: far\n", c.Node, job, programs.DPUKV(t))
	cmd, runDir, _ := sweepCommand(t, strings.Replace(longerPoints, "[mica, herd]", "mica", 1), bed)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, p := range readPoints(t, runDir) {
		if p.Status != results.StatusOK || p.ServerNode.Node != "far" {
			t.Errorf("%s: %s %s", p.ID, p.Status, p.Error)
		}
	}
}
