package emulate

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// nobody is a user ID that owns nothing on any machine.
const nobody = 65534

func asNobody(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	cmd.Dir = "/"
}

// needUserNamespaces skips a test where the kernel forbids users to make namespaces, or where the
// test cannot become nobody.
func needUserNamespaces(t *testing.T) {
	t.Helper()
	// and root, to become another user: a child that fails at it before its exec may hang for ever
	// under qemu-user
	needLab(t)
	cmd := exec.Command("unshare", "-Urn", "true")
	asNobody(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("users may not make namespaces here (%v: %s): the lab without root was not tried", err, out)
	}
}

// TestRootless: a user without rights has the same lab, but no control groups.
func TestRootless(t *testing.T) {
	needUserNamespaces(t)
	for name, end := range map[string]func(s *started){
		"closed":        func(s *started) { s.in.Close() },
		"owner killed":  func(s *started) { s.cmd.Process.Kill() },
		"keeper killed": func(s *started) { unix.Kill(s.keeper, unix.SIGKILL); s.in.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startOwner(t, study(NoProfile), asNobody)
			if !s.Facts.UserNamespace || s.Facts.Cgroup != "" {
				t.Errorf("%+v", s.Facts)
			}
			var seen []string
			for i := range s.Facts.Machines {
				seen = append(seen, s.run(t, i, "id", "-u")+s.run(t, i, "cat", "/proc/net/fib_trie"))
			}
			for i, m := range s.Facts.Machines {
				if !strings.HasPrefix(seen[i], "0\n") || !strings.Contains(seen[i], "-- "+m.Address+"\n") {
					t.Errorf("machine %s: %s", m.Name, seen[i])
				}
			}
			end(s)
			s.cmd.Wait()
			s.mustVanish(t)
		})
	}
}

// run runs a command on a machine as nobody.
func (s *started) run(t *testing.T, machine int, argv ...string) string {
	t.Helper()
	prefix := s.Prefixes[s.Facts.Machines[machine].Name]
	cmd := exec.Command(prefix[0], append(prefix[1:len(prefix):len(prefix)], argv...)...)
	asNobody(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", cmd, err, out)
	}
	return string(out)
}

// TestRootlessRefuses: specs that need control groups are refused.
func TestRootlessRefuses(t *testing.T) {
	t.Parallel()
	needUserNamespaces(t)
	cmd := exec.Command(owner, "start")
	asNobody(cmd)
	cmd.Stdin = strings.NewReader(`{"machines":[{"name":"h","kind":"host"},{"name":"d","kind":"dpu","of":"h","profile":"bf2"}]}` + "\n")
	out, err := cmd.CombinedOutput()
	for _, want := range []string{
		"found no control group", "permission denied", "profile: none",
		"systemd-run --user --scope",
	} {
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("got %v: %s; want %s", err, out, want)
		}
	}
}

// TestNestedUserNamespace: root in a user namespace has enough rights, and needs no further
// namespace.
func TestNestedUserNamespace(t *testing.T) {
	t.Parallel()
	needUserNamespaces(t)
	s := startOwner(t, study(NoProfile), func(cmd *exec.Cmd) {
		asNobody(cmd)
		cmd.Path, _ = exec.LookPath("unshare")
		cmd.Args = append([]string{"unshare", "--user", "--map-root-user"}, cmd.Args...)
	})
	if s.Facts.UserNamespace {
		t.Errorf("%+v", s.Facts)
	}
	s.in.Close()
	s.cmd.Wait()
	s.mustVanish(t)
}

// TestNamespacesForbidden: the kernel refuses, and the error tells the user why.
func TestNamespacesForbidden(t *testing.T) {
	t.Parallel()
	needUserNamespaces(t)
	// The owner of this user namespace forbids any below it.
	script := `echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --bounding-set -all --inh-caps -all --reuid 0 "$0" start`
	cmd := exec.Command("sh", "-c", script, owner)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{
			{ContainerID: 0, HostID: os.Getuid(), Size: 1},
			{ContainerID: 1, HostID: nobody, Size: 1},
		},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	cmd.Stdin = strings.NewReader(`{"machines":[{"name":"h","kind":"host"}]}` + "\n")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "user.max_user_namespaces") {
		t.Errorf("%v: %s", err, out)
	}
}
