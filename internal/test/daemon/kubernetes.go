package daemon

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/programs"
)

// Kubernetes is a running cluster of one node: Kubernetes' own API server and kubelet, with
// Debian's etcd, containerd and runc. It has no scheduler, no DNS and no network of pods, so its
// pods have hostNetwork.
type Kubernetes struct {
	Address string // of the node
	dir     string
	d       *daemon
}

// KubeImage is the image that the node has. It is no Debian, but has what dpukv needs of one: a
// shell and the tools of Busybox, getconf, and this machine's C library.
const KubeImage = "docker.io/library/debian:bookworm-slim"

// The users of the cluster, who are also the contexts of its configuration. The first is the
// administrator, and the others may do nothing until a test lets them.
const (
	KubeAdmin    = "admin"
	KubeUser     = "user"
	KubeStranger = "stranger"
)

//go:embed kubernetes.sh
var kubernetesScript string

// kubeSetup gives the kubelet copies of the kernel's settings that it changes.
const kubeSetup = `cd /proc/sys
for f in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
	mkdir -p /run/sys/${f%/*}
	cat $f >/run/sys/$f
	mount --bind /run/sys/$f $f
done`

const containerdToml = `version = 2
root = "$DIR/containerd"
state = "$DIR/state"
[grpc]
  address = "$DIR/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "` + KubeImage + `"
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$DIR/none"
    conf_dir = "$DIR/none"
`

const kubeletYAML = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 127.0.0.1
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
containerRuntimeEndpoint: unix://$DIR/containerd.sock
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failSwapOn: false
evictionHard: {imagefs.available: 0%, nodefs.available: 0%, nodefs.inodesFree: 0%, memory.available: 1Mi}
imageGCHighThresholdPercent: 100
resolvConf: ""
`

// StartKubernetes starts a cluster that ends with the test. It sets KUBECONFIG; the test can
// therefore not be parallel.
func StartKubernetes(t *testing.T) *Kubernetes {
	t.Helper()
	NeedRoot(t)
	programs.Need(t, "kube-apiserver", "kubelet", "kubectl", "etcd", "containerd", "ctr", "runc",
		"busybox", "openssl")
	n := NewNet(t)
	k := &Kubernetes{Address: n.There, dir: t.TempDir()}
	k.configure(t)
	t.Cleanup(func() { removeGroups(filepath.Join(k.dir, "state")) })
	k.d = start(t, n, kubeSetup, "sh", "-c", kubernetesScript, "kubernetes.sh", k.dir, k.Address)
	t.Setenv("KUBECONFIG", filepath.Join(k.dir, "config"))
	k.d.await(t, "its node", func() bool {
		return exec.Command("kubectl", "get", "node", "localhost").Run() == nil
	})
	return k
}

// configure writes the files that kubernetes.sh takes.
func (k *Kubernetes) configure(t *testing.T) {
	t.Helper()
	token := map[string]string{}
	var tokens strings.Builder
	for _, u := range []struct{ name, user, groups string }{
		{KubeAdmin, KubeAdmin, `"system:masters"`},
		{KubeUser, KubeUser, ""},
		{KubeStranger, KubeStranger, ""},
		{"kubelet", "system:node:localhost", `"system:nodes"`},
	} {
		token[u.name] = rand.Text()
		fmt.Fprintf(&tokens, "%s,%s,%s,%s\n", token[u.name], u.user, u.user, u.groups)
	}
	for file, text := range map[string]string{
		"tokens":          tokens.String(),
		"containerd.toml": containerdToml,
		"kubelet.yaml":    kubeletYAML,
		"config":          k.config(token, KubeAdmin, KubeUser, KubeStranger),
		"kubelet.config":  k.config(token, "kubelet"),
	} {
		write(t, filepath.Join(k.dir, file), strings.ReplaceAll(text, "$DIR", k.dir))
	}
	key := exec.Command("openssl", "genrsa", "-out", filepath.Join(k.dir, "key"), "2048")
	if out, err := key.CombinedOutput(); err != nil {
		t.Fatalf("openssl: %v\n%s", err, out)
	}
	if err := writeImage(filepath.Join(k.dir, "image.tar"), KubeImage); err != nil {
		t.Fatal(err)
	}
}

// config is kubectl's configuration, with a context for each user; the first is the current one.
func (k *Kubernetes) config(token map[string]string, users ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: v1\nkind: Config\ncurrent-context: %s\n", users[0])
	fmt.Fprintf(&b, "clusters: [{name: test, cluster: {server: \"https://%s:6443\", "+
		"insecure-skip-tls-verify: true}}]\n", k.Address)
	b.WriteString("users:\n")
	for _, u := range users {
		fmt.Fprintf(&b, "- {name: %s, user: {token: %s}}\n", u, token[u])
	}
	b.WriteString("contexts:\n")
	for _, u := range users {
		fmt.Fprintf(&b, "- {name: %s, context: {cluster: test, user: %[1]s}}\n", u)
	}
	return b.String()
}

// Kubectl runs kubectl as the administrator, with this stdin.
func (k *Kubernetes) Kubectl(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("kubectl", args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, stderr.Bytes())
	}
	return string(out)
}

const binding = `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"%s"},
"target":{"apiVersion":"v1","kind":"Node","name":"localhost"}}`

// Apply applies a manifest, binds its new pods to the node as a scheduler would, and waits until
// all pods of the default namespace are ready.
func (k *Kubernetes) Apply(t testing.TB, manifest string) {
	t.Helper()
	k.Kubectl(t, manifest, "apply", "--filename=-")
	const names = "jsonpath={.items[*].metadata.name}"
	unbound := k.Kubectl(t, "", "get", "pods", "--field-selector=spec.nodeName=", "--output="+names)
	for _, pod := range strings.Fields(unbound) {
		k.Kubectl(t, fmt.Sprintf(binding, pod), "create", "--filename=-",
			"--raw=/api/v1/namespaces/default/pods/"+pod+"/binding")
	}
	k.d.await(t, "its pods", func() bool {
		return exec.Command("kubectl", "wait", "pods", "--all", "--for=condition=Ready",
			"--timeout=1s").Run() == nil
	})
}

// Stop ends the cluster at once, as a crash does.
func (k *Kubernetes) Stop() { k.d.kill() }

// removeGroups removes the control groups of the containers that are in containerd's state. They
// stay where the containers were killed.
func removeGroups(state string) {
	containers, _ := filepath.Glob(filepath.Join(state, "io.containerd.runtime.v2.task/k8s.io/*"))
	for _, c := range containers {
		removeGroup(filepath.Join("k8s.io", filepath.Base(c)))
	}
	removeGroup("k8s.io") // fails if others are in it
}

// removeGroup removes a control group from version 2's hierarchy, or from each of version 1's.
func removeGroup(group string) {
	for _, pattern := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/*"} {
		groups, _ := filepath.Glob(filepath.Join(pattern, group))
		for _, g := range groups {
			_ = os.Remove(g)
		}
	}
}
