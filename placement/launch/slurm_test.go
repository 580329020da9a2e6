package launch

import (
	"os"
	"strings"
	"testing"

	"dpukv/internal/foreign"
	"dpukv/internal/test/daemon"
	"dpukv/internal/test/must"
)

func TestSlurm(t *testing.T) {
	cluster := daemon.StartSlurm(t)
	job := cluster.Allocate(t)
	n := &Node{Name: "host", Via: Slurm, Job: job, SlurmNode: cluster.Node}
	must.Do(t, Check(n))
	testContract(t, n)

	t.Run("side by side", func(t *testing.T) {
		_, first := lingering(t, n)
		_, second := lingering(t, n)
		for _, alive := range []*lifeline{first, second} {
			alive.stdin.Close()
			alive.awaitEnd(t)
		}
	})
	t.Run("install", func(t *testing.T) {
		cache := t.TempDir()
		t.Setenv("XDG_CACHE_HOME", cache) // which srun passes on
		path := must.Get(Install(t.Context(), n, Binaries{}))(t)
		expectFiles(t, cache, path)
		if out, err := Output(t.Context(), n, path, "-test.list=^TestSlurm$"); err != nil ||
			string(out) != "TestSlurm\n" {
			t.Errorf("what was installed said %q, %v", out, err)
		}
	})
	t.Run("troubles", func(t *testing.T) {
		expect := func(n Node, want string, argv ...string) {
			t.Helper()
			n.Name = "host"
			_, err := Output(t.Context(), &n, argv...)
			expectExplained(t, err, want)
		}
		expect(Node{Via: Slurm, Job: "99", SlurmNode: "node1"},
			"node host: there is no allocation 99, or no more: run dpukv within salloc", "true")
		expect(Node{Via: Slurm, Job: "mine", SlurmNode: "node1"}, "node host: mine is no number of an allocation",
			"true")
		expect(Node{Via: Slurm, Job: job, SlurmNode: "node2"},
			"node host: allocation "+job+" has no node node2: squeue --job="+job, "true")
		expect(*n, "node host: /no/dpukv cannot be run there (No such file or directory)", "/no/dpukv")
	})
	t.Run("within salloc", func(t *testing.T) {
		for _, v := range cluster.Environment(t, "--ntasks=2", "--cpus-per-task=1", "--ntasks-per-node=2",
			"--mem-per-cpu=100") {
			key, value, _ := strings.Cut(v, "=")
			t.Setenv(key, value)
		}
		if out, err := Output(t.Context(), &Node{Name: "host", Via: Slurm, SlurmNode: cluster.Node}, "sh", "-c",
			"echo $SLURM_NTASKS $SLURM_JOB_ID"); err != nil ||
			string(out) != "1 "+os.Getenv("SLURM_JOB_ID")+"\n" {
			t.Errorf("found %q, %v; wanted one task in job %s", out, err, os.Getenv("SLURM_JOB_ID"))
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		cmd, alive := lingering(t, n)
		cluster.Cancel(t, job)
		alive.awaitEnd(t)
		expectExplained(t, n.ended(t.Context(), cmd.Stderr.(*foreign.Tail), cmd.Wait()),
			"node host: Slurm ended what ran on node1 (step "+job+".")
		expectRefused(t, n, "node host: there is no allocation "+job+", or no more")
	})
}
