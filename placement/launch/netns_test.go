package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dpukv/internal/test/daemon"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
)

func TestNetns(t *testing.T) {
	t.Parallel()
	daemon.NeedRoot(t)
	const prefix = "dpukv-launch-"
	sweepNetns(t, prefix)
	name := prefix + strconv.Itoa(os.Getpid())
	programs.Need(t, "ip")
	if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
		t.Skipf("ip netns add: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("ip", "netns", "del", name).CombinedOutput(); err != nil {
			t.Errorf("ip netns del %s: %v: %s", name, err, out)
		}
	})
	n := &Node{Name: "netns", Via: Netns, Namespace: name}
	must.Do(t, Check(n))
	here := must.Get(os.Readlink("/proc/thread-self/ns/net"))(t)
	if out, err := Output(t.Context(), n, "readlink", "/proc/self/ns/net"); err != nil || string(out) == here+"\n" {
		t.Errorf("it ran in %s, this test in %s: %v", out, here, err)
	}
	testContract(t, n)
	entered := &Node{Name: "prefix", Via: Netns, Prefix: []string{"nsenter", "--net=/var/run/netns/" + name}}
	if out, err := Output(t.Context(), entered, "readlink", "/proc/self/ns/net"); err != nil ||
		string(out) == here+"\n" {
		t.Errorf("it ran in %s, this test in %s: %v", out, here, err)
	}
	if _, err := Output(t.Context(), &Node{Name: "gone", Via: Netns, Namespace: name + "x"}, "true"); err == nil ||
		err.Error() != fmt.Sprintf("node gone: there is no network namespace %sx: ip netns list names those there "+
			"are, ip netns add %[1]sx makes it", name) {
		t.Errorf("in a namespace that is not there: %v", err)
	}
}

// sweepNetns removes the namespaces of killed test runs: their names end in process IDs.
func sweepNetns(t *testing.T, prefix string) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(namespaces, prefix+"*"))
	for _, name := range names {
		pid := strings.TrimPrefix(filepath.Base(name), prefix)
		if _, err := os.Stat("/proc/" + pid); errors.Is(err, os.ErrNotExist) {
			_ = exec.Command("ip", "netns", "del", filepath.Base(name)).Run()
		}
	}
}
