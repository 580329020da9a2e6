//go:build kube

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dpukv/internal/test/daemon"
	"dpukv/internal/test/pages"
	"dpukv/results/runfolder"
)

const kubernetesPage = "../../docs/tasks/machines.md"

// TestKubernetes follows docs/tasks/machines.md, where it is about Kubernetes. This machine plays all
// nodes, so the sizes and the addresses of the page are other ones.
func TestKubernetes(t *testing.T) {
	dpukv := filepath.Join(t.TempDir(), "dpukv")
	build := exec.Command("go", "build", "-o", dpukv, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cluster := daemon.StartKubernetes(t)
	cluster.Kubectl(t, "", "label", "node", "localhost", "dpukv-client=", "dpukv-server=", "dpukv-dpu=")
	for _, role := range []string{"client", "server", "dpu"} {
		pod := smaller(pages.File(t, kubernetesPage, "yaml", "pod.yaml"))
		cluster.Apply(t, strings.ReplaceAll(pod, "ROLE", role))
	}
	if c := cluster.Kubectl(t, "", "get", "pod", "kv-server", "-o", "jsonpath={.status.qosClass}"); c != "Guaranteed" {
		t.Errorf("found the class %q of kv-server, want Guaranteed", c)
	}
	cluster.Kubectl(t, pages.File(t, kubernetesPage, "yaml", "role.yaml"), "apply", "--filename=-")
	cluster.Kubectl(t, "", "config", "use-context", daemon.KubeUser)

	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), dpukv, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
		return string(out)
	}
	testbed := pages.File(t, kubernetesPage, "yaml", "pods-testbed.yaml")
	testbed = address.ReplaceAllString(testbed, "address: "+cluster.Address)
	writeText(t, filepath.Join(dir, "testbed.yaml"), testbed)
	writeText(t, filepath.Join(dir, "sweep.yaml"), pages.File(t, kubernetesPage, "yaml", "pods-sweep.yaml"))
	out := run("testbed", "check", "testbed.yaml")
	for _, want := range []string{
		"can be used +yes +yes +yes", "CH-SH +mica +can run: server on server, client on client",
		"CH-SD +mica +can run: server on dpu",
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("found the check\n%s\nwant %s", out, want)
		}
	}
	t.Log(out)
	t.Log(run("sweep", "-f", "sweep.yaml", "--testbed", "testbed.yaml", "--out", "pods"))
	checkPodPoints(t, filepath.Join(dir, "pods"))
	for _, pod := range []string{"kv-client", "kv-server", "kv-dpu"} {
		out, err := exec.Command("kubectl", "exec", pod, "--", "ps").CombinedOutput()
		if err != nil || strings.Contains(string(out), "dpukv") {
			t.Errorf("%s: found %v and these processes, want none of dpukv:\n%s", pod, err, out)
		}
	}
	t.Run("connection cut", func(t *testing.T) { testCutSweep(t, cluster, dpukv, dir) })
}

// testCutSweep ends the cluster in the middle of a point. The point fails with the name of a node,
// also with a kubectl that ends as after success.
func testCutSweep(t *testing.T, cluster *daemon.Kubernetes, dpukv, dir string) {
	text, err := os.ReadFile(filepath.Join(dir, "sweep.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Replace(string(text), "duration: 300ms", "duration: 10m", 1)
	writeText(t, filepath.Join(dir, "long.yaml"), long)
	cmd := exec.CommandContext(t.Context(), dpukv, "sweep", "-f", "long.yaml", "--testbed", "testbed.yaml",
		"--out", "cut")
	var out strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for running := ""; !strings.Contains(running, "dpukv node"); {
		running = cluster.Kubectl(t, "", "exec", "kv-client", "--", "ps")
	}
	cluster.Stop()
	if err := cmd.Wait(); err == nil {
		t.Error("found the exit status 0 of a sweep without its nodes, want another")
	}
	if !strings.Contains(out.String(), "node ") {
		t.Errorf("found no name of a node in what the sweep said:\n%s", out.String())
	}
	t.Log(out.String())
}

// checkPodPoints checks that the run has both points of the page, each with operations.
func checkPodPoints(t *testing.T, dir string) {
	t.Helper()
	run, err := runfolder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	points, bad, err := run.Points()
	if err != nil || len(bad) > 0 || len(points) != 2 {
		t.Fatalf("found %d points, bad lines %v, %v; want 2 points", len(points), bad, err)
	}
	for i := range points {
		if p := &points[i]; p.Error != "" || p.Ops == 0 {
			t.Errorf("%s: found the error %q and %d operations", p.ID, p.Error, p.Ops)
		}
	}
}

var (
	sizes   = regexp.MustCompile(`limits: \{.*\}`)
	address = regexp.MustCompile(`address: [0-9.]+`)
)

// smaller fits the pods of a manifest onto this machine. They stay in the class Guaranteed.
func smaller(manifest string) string {
	return sizes.ReplaceAllString(manifest, "limits: {cpu: 500m, memory: 512Mi}")
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
