package machines

import (
	"os"
	"strings"
	"testing"

	"dpukv/internal/test/daemon"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/placement/launch"
	"dpukv/placement/submode/card"
	"dpukv/placement/testbed"
)

// TestSubmodeNodeConnectsOnce: the commands of a datapath take one ssh connection, which Close
// ends.
func TestSubmodeNodeConnectsOnce(t *testing.T) {
	s := daemon.StartSSH(t, daemon.SSHOptions{})
	t.Setenv("TMPDIR", t.TempDir())
	bf := testbed.Node{Node: launch.Node{
		Name: "bf", Via: launch.SSH, Host: s.Address, Port: s.Port, User: s.User,
		Identity: s.Identity, KnownHosts: s.KnownHosts, SSHConfig: "/dev/null",
	}}
	m := &Machines{}
	node := m.SubmodeNode(&bf)
	connections := map[string]bool{}
	for range 3 {
		out := must.Get(node.Run(t.Context(), []string{"sh", "-c", "echo $SSH_CONNECTION"}))(t)
		connections[out] = true
	}
	if len(connections) != 1 {
		t.Errorf("found connections %v, want one", connections)
	}
	must.Do(t, m.Close())
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

// TestWrongHost: ssh's error comes first, without the script that would have run there.
func TestWrongHost(t *testing.T) {
	programs.Need(t, "ssh")
	bf := testbed.Node{Kind: testbed.KindDPU, Node: launch.Node{
		Name: "bf", Via: launch.SSH, Host: "nowhere.invalid", SSHConfig: "/dev/null",
	}}
	m := &Machines{}
	defer m.Close()
	_, err := card.Read(t.Context(), m.SubmodeNode(&bf), "0000:03:00.0")
	must.Fail(t, err, "node bf: there is no host nowhere.invalid (")
	if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "mlxconfig") {
		t.Errorf("found more than ssh's error: %v", err)
	}
}
