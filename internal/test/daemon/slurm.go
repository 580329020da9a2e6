package daemon

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
)

// SlurmCluster is a running cluster of one node.
type SlurmCluster struct {
	Node string
	dir  string
}

// slurmConf has the cluster's folder as $DIR. Both daemons listen on the loopback only
// (CommunicationParameters).
const slurmConf = `ClusterName=test
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$DIR/munge.socket
CredType=cred/munge
SlurmctldHost=$HOST(127.0.0.1)
SlurmctldPort=$PORT1
SlurmdPort=$PORT2
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPidFile=$DIR/slurmctld.pid
SlurmdPidFile=$DIR/slurmd.pid
StateSaveLocation=$DIR/state
SlurmdSpoolDir=$DIR/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MailProg=/bin/true
NodeName=node1 NodeHostname=$HOST NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN
PartitionName=all Nodes=node1 Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
`

// slurmDaemons run under one shell, whose namespace ends with it.
const slurmDaemons = `cd "$1"
munged --foreground --force --socket=$1/munge.socket --key-file=$1/munge.key --log-file=$1/munged.log --pid-file=$1/munged.pid --seed-file=$1/munged.seed &
until [ -S munge.socket ]; do sleep 0.02; done
slurmctld -D -c &
slurmd -D -N node1 &
wait`

// StartSlurm starts a cluster that ends with the test. It sets SLURM_CONF, so that Slurm's commands
// use the cluster; the test can therefore not be parallel.
func StartSlurm(t *testing.T) *SlurmCluster {
	t.Helper()
	NeedRoot(t)
	programs.Need(t, "slurmctld", "slurmd", "srun", "salloc", "munged")
	c := &SlurmCluster{Node: "node1", dir: shortDir(t)}
	host := must.Get(os.Hostname())(t)
	host, _, _ = strings.Cut(host, ".")
	conf := filepath.Join(c.dir, "slurm.conf")
	write(t, conf, strings.NewReplacer("$DIR", c.dir, "$HOST", host, "$PORT1",
		strconv.Itoa(freePort(t)), "$PORT2", strconv.Itoa(freePort(t))).Replace(slurmConf))
	write(t, filepath.Join(c.dir, "munge.key"), strings.Repeat("not a secret ", 10))
	for _, folder := range []string{"state", "spool"} {
		must.Do(t, os.Mkdir(filepath.Join(c.dir, folder), 0o755))
	}
	t.Setenv("SLURM_CONF", conf)
	t.Setenv("SLURM_JOB_ID", "") // from a cluster that this test may run on;
	os.Unsetenv("SLURM_JOB_ID")  // restored when the test ends
	d := start(t, nil, "", "sh", "-c", slurmDaemons, "slurm", c.dir)
	d.awaitOutput(t, "Running as primary controller")
	d.await(t, "its node", func() bool {
		out, _ := exec.Command("sinfo", "--noheader", "--format=%t").Output()
		return strings.TrimSpace(string(out)) == "idle"
	})
	return c
}

var granted = regexp.MustCompile(`Granted job allocation (\d+)`)

// Allocate makes an allocation of the node, and returns its job's number.
func (c *SlurmCluster) Allocate(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("salloc", "--no-shell", "--nodes=1").CombinedOutput()
	m := granted.FindSubmatch(out)
	if err != nil || m == nil {
		t.Fatalf("salloc: %v\n%s", err, out)
	}
	return string(m[1])
}

// Environment makes an allocation with salloc, and returns the environment of a command within it.
func (c *SlurmCluster) Environment(t testing.TB, options ...string) (env []string) {
	t.Helper()
	cmd := exec.Command("salloc", append(options, "sh", "-c", "env; echo; cat")...)
	stdin := must.Get(cmd.StdinPipe())(t)
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { // which gives the allocation back
		stdin.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && lines.Text() != "" {
		if strings.HasPrefix(lines.Text(), "SLURM_") {
			env = append(env, lines.Text())
		}
	}
	if len(env) == 0 {
		t.Fatalf("%s gave no environment", cmd)
	}
	return env
}

// Cancel ends an allocation and its processes.
func (c *SlurmCluster) Cancel(t testing.TB, job string) {
	t.Helper()
	if out, err := exec.Command("scancel", job).CombinedOutput(); err != nil {
		t.Fatalf("scancel: %v\n%s", err, out)
	}
}

// shortDir is a folder of the test with a path short enough for a socket's (108 bytes).
func shortDir(t testing.TB) string {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "slurm"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { // munge's clients may be anybody
		t.Fatal(err)
	}
	return dir
}
