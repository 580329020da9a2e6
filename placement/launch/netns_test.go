package launch

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"dpukv/internal/daemontest"
)

func TestNetns(t *testing.T) {
	t.Parallel()
	daemontest.NeedRoot(t)
	name := fmt.Sprintf("dpukv-launch-%d", os.Getpid())
	if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
		t.Skipf("ip netns add: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("ip", "netns", "del", name).CombinedOutput(); err != nil {
			t.Errorf("ip netns del %s: %v: %s", name, err, out)
		}
	})
	n := &Node{Name: "netns", Via: Netns, Namespace: name}
	if err := Check(n); err != nil {
		t.Fatal(err)
	}
	here, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := Output(t.Context(), n, "readlink", "/proc/self/ns/net"); err != nil || string(out) == here+"\n" {
		t.Errorf("it ran in %s, this test in %s: %v", out, here, err)
	}
	testContract(t, n)
	prefix := &Node{Name: "prefix", Via: Netns, Prefix: []string{"nsenter", "--net=/var/run/netns/" + name}}
	if out, err := Output(t.Context(), prefix, "readlink", "/proc/self/ns/net"); err != nil || string(out) == here+"\n" {
		t.Errorf("it ran in %s, this test in %s: %v", out, here, err)
	}
	if _, err := Output(t.Context(), &Node{Name: "gone", Via: Netns, Namespace: name + "x"}, "true"); err == nil ||
		err.Error() != fmt.Sprintf("node gone: there is no network namespace %sx: ip netns list names those there are, ip netns add %[1]sx makes it", name) {
		t.Errorf("in a namespace that is not there: %v", err)
	}
}
