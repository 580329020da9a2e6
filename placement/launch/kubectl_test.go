//go:build kube

package launch

import (
	"strings"
	"testing"

	"dpukv/internal/foreign"
	"dpukv/internal/test/daemon"
	"dpukv/internal/test/pages"
)

// contractPod shares /tmp with this machine, as testContract requires.
const contractPod = `apiVersion: v1
kind: Pod
metadata: {name: kv-0}
spec:
  hostNetwork: true
  automountServiceAccountToken: false
  containers:
  - name: main
    image: ` + daemon.KubeImage + `
    volumeMounts: [{name: tmp, mountPath: /tmp}]
  volumes: [{name: tmp, hostPath: {path: /tmp}}]
`

// TestKubectl: the real kubectl, API server, kubelet and containerd. The user has the role that
// docs/tasks/machines.md gives to users, and no other.
func TestKubectl(t *testing.T) {
	cluster := daemon.StartKubernetes(t)
	cluster.Apply(t, contractPod)
	cluster.Kubectl(t, pages.File(t, "../../docs/tasks/machines.md", "yaml", "role.yaml"), "apply", "--filename=-")
	n := &Node{Name: "host", Via: Kubectl, Pod: "kv-0", KubeContext: daemon.KubeUser}
	if err := Check(n); err != nil {
		t.Fatal(err)
	}
	testContract(t, n)

	t.Run("side by side", func(t *testing.T) {
		_, first := lingering(t, n)
		_, second := lingering(t, n)
		for _, alive := range []*lifeline{first, second} {
			alive.stdin.Close()
			alive.awaitEnd(t)
		}
	})
	t.Run("big output", func(t *testing.T) {
		out, err := Output(t.Context(), n, "sh", "-c", "head -c 4194304 /dev/zero; exit 3")
		if err == nil || !strings.Contains(err.Error(), "exit status 3") {
			t.Errorf("found %d bytes and %v, want the exit status 3 after 4 MiB", len(out), err)
		}
	})
	t.Run("install", func(t *testing.T) {
		path, err := Install(t.Context(), n, Binaries{})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := Output(t.Context(), n, path, "-test.list=^TestKubectl$"); err != nil ||
			string(out) != "TestKubectl\n" {
			t.Errorf("what was installed said %q, %v", out, err)
		}
	})
	t.Run("troubles", func(t *testing.T) { testKubectlTroubles(t, *n) })
	t.Run("pod deleted", func(t *testing.T) {
		cmd, alive := lingering(t, n)
		cluster.Kubectl(t, "", "delete", "pod", "kv-0", "--now", "--wait=false")
		alive.awaitEnd(t)
		expectExplained(t, n.ended(t.Context(), cmd.Stderr.(*foreign.Tail), cmd.Wait()),
			"node host: the program was killed in the pod (exit status 137): kubectl describe pod kv-0")
	})
	t.Run("connection cut", func(t *testing.T) {
		cluster.Kubectl(t, "", "wait", "pod", "kv-0", "--for=delete")
		cluster.Apply(t, contractPod)
		cmd, alive := lingering(t, n)
		cluster.Stop()
		alive.awaitEnd(t)
		lost := n.ended(t.Context(), cmd.Stderr.(*foreign.Tail), cmd.Wait())
		if lost == nil {
			t.Log("this kubectl ends as after success: the reader of stdout has to miss the end")
		} else {
			expectExplained(t, lost, "node host: the connection to the pod is lost")
		}
		_, err := Output(t.Context(), n, "true")
		expectExplained(t, err, "node host: Kubernetes does not answer")
	})
}

func testKubectlTroubles(t *testing.T, n Node) {
	for name, tc := range map[string]struct {
		change func(*Node)
		argv   string
		want   string
	}{
		"no pod": {
			func(n *Node) { n.Pod = "kv-9" }, "true",
			`node host: Kubernetes has no such thing: pods "kv-9" not found; kubectl get pods shows those there are`,
		},
		"no namespace": {
			func(n *Node) { n.KubeNamespace, n.KubeContext = "lab", daemon.KubeAdmin }, "true",
			`node host: Kubernetes has no such thing: `,
		},
		"no container": {
			func(n *Node) { n.Container = "side" }, "true",
			"node host: the container cannot be entered: container ",
		},
		"no context": {
			func(n *Node) { n.KubeContext = "never" }, "true", "node host: there is no context never: kubectl config",
		},
		"not allowed": {
			func(n *Node) { n.KubeContext = daemon.KubeStranger }, "true",
			`node host: Kubernetes forbids it: pods "kv-0" is forbidden: User "stranger" cannot`,
		},
		"no program": {
			func(*Node) {}, "nix", "node host: the container has no program nix: choose an image with a shell",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := n
			tc.change(&n)
			_, err := Output(t.Context(), &n, tc.argv)
			expectExplained(t, err, tc.want)
		})
	}
}
