package launch

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/daemon"
	"dpukv/internal/test/must"
)

// node returns the way to a server without a configuration.
func node(s *daemon.SSHServer) *Node {
	return &Node{
		Name: "bf", Via: SSH, Host: s.Address, Port: s.Port, User: s.User,
		Identity: s.Identity, KnownHosts: s.KnownHosts, SSHConfig: "/dev/null",
	}
}

func TestSSH(t *testing.T) {
	t.Parallel()
	s := daemon.StartSSH(t, daemon.SSHOptions{})
	n := node(s)
	must.Do(t, Check(n))
	testContract(t, n)

	t.Run("no binary", func(t *testing.T) {
		_, err := Output(t.Context(), n, "/no/dpukv", "node")
		expectExplained(t, err, "node bf: /no/dpukv cannot be run there (")
	})
	t.Run("a user's shared connections", func(t *testing.T) {
		dir := t.TempDir()
		n := &Node{Name: "bf", Via: SSH, Host: "bf", SSHConfig: filepath.Join(dir, "config")}
		writeFile(t, n.SSHConfig,
			s.ClientConfig("bf")+"ControlMaster auto\nControlPersist yes\nControlPath "+dir+
				"/master\nRemoteCommand false\nRequestTTY force\n")
		must.Get(Output(t.Context(), n, "true"))(t)
		expectFiles(t, dir, n.SSHConfig)
	})
}

// TestSSHJump: the target listens in a namespace that only the jump host reaches.
func TestSSHJump(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for seconds: each of its commands logs in twice")
	}
	t.Parallel()
	network := daemon.NewNet(t)
	jump := daemon.StartSSH(t, daemon.SSHOptions{Net: network})
	target := daemon.StartSSH(t, daemon.SSHOptions{Net: network, Listen: "127.0.0.1"})
	config := filepath.Join(t.TempDir(), "ssh_config")
	writeFile(t, config, jump.ClientConfig("card")+target.ClientConfig("bf"))

	n := &Node{Name: "bf", Via: SSH, Host: "bf", SSHConfig: config}
	expectRefused(t, n,
		"node bf: 127.0.0.1 has no ssh server at port "+strconv.Itoa(target.Port)+": start it there, or say its port")

	n.Jump = "card"
	testContract(t, n)

	t.Run("in the configuration", func(t *testing.T) {
		writeFile(t, config, jump.ClientConfig("card")+target.ClientConfig("bf")+"ProxyJump card\n")
		must.Get(Output(t.Context(), &Node{Name: "bf", Via: SSH, Host: "bf", SSHConfig: config},
			"true"))(t)
	})
	t.Run("a key by its own name", func(t *testing.T) {
		key := must.Get(os.ReadFile(target.HostKey))(t)
		known := filepath.Join(t.TempDir(), "known_hosts") // without the jump's key, whose name stays
		writeFile(t, known, "card+bf "+string(key))
		named := *n
		named.HostKeyAlias, named.KnownHosts = "card+bf", known
		must.Get(Output(t.Context(), &named, "true"))(t)
	})
	t.Run("unknown key", func(t *testing.T) {
		empty(t, jump.KnownHosts)
		expectRefused(t, n,
			"node bf: a host key on the way to bf is not known or not the known one: connect once by hand and "+
				"compare it: ssh -F "+config+" -J card bf")
		expectEmpty(t, jump.KnownHosts)
	})
}

func TestSSHHostKeys(t *testing.T) {
	t.Parallel()
	s, other := daemon.StartSSH(t, daemon.SSHOptions{}), daemon.StartSSH(t, daemon.SSHOptions{})
	n := node(s)
	s.Know(t, other.HostKey)
	_, err := Output(t.Context(), n, "true")
	name := "[127.0.0.1]:" + strconv.Itoa(s.Port)
	expectExplained(t, err,
		"node bf: the host key of "+name+" is not the one that is known ("+s.KnownHosts+
			":1): somebody may sit in between, or it was installed anew; ask whoever runs it, then: "+
			"ssh-keygen -f '"+s.KnownHosts+"' -R '"+name+"', and ssh -F /dev/null -l ")
	_, command, _ := strings.Cut(err.Error(), "then: ")
	command, _, _ = strings.Cut(command, ", and ")
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", command, err, out)
	}
	expectEmpty(t, s.KnownHosts)

	empty(t, s.KnownHosts)
	expectRefused(t, n,
		"node bf: the host key of [127.0.0.1]:"+strconv.Itoa(s.Port)+" is not known in "+s.KnownHosts+
			": connect once by hand and compare it: ssh -F /dev/null -l ")
	expectEmpty(t, s.KnownHosts)
	_, err = Install(t.Context(), n, Binaries{})
	must.Fail(t, err, "is not known in")
}

// TestSSHHostKeyAlias: two machines with one address behind different jumps have a key each, under
// a name of its own. Without the name, the second one's key is taken for a forged one.
func TestSSHHostKeyAlias(t *testing.T) {
	t.Parallel()
	servers := []*daemon.SSHServer{daemon.StartSSH(t, daemon.SSHOptions{}), daemon.StartSSH(t, daemon.SSHOptions{})}
	known := filepath.Join(t.TempDir(), "known_hosts")
	var keys strings.Builder
	for i, s := range servers {
		key := must.Get(os.ReadFile(s.HostKey))(t)
		keys.WriteString("jump" + strconv.Itoa(i) + "+card " + string(key))
	}
	writeFile(t, known, keys.String())
	for i, s := range servers {
		n := node(s)
		n.KnownHosts, n.HostKeyAlias = known, "jump"+strconv.Itoa(i)+"+card"
		if _, err := Output(t.Context(), n, "true"); err != nil {
			t.Error(err)
		}
		n.HostKeyAlias = "jump" + strconv.Itoa(1-i) + "+card"
		expectRefused(t, n, "node bf: the host key of "+n.HostKeyAlias+" is not the one that is known ("+known)
		n.HostKeyAlias = "jump2+card"
		_, err := Output(t.Context(), n, "true")
		expectExplained(t, err, "node bf: the host key of jump2+card is not known in "+known+
			": connect once by hand and compare it: ssh -F /dev/null -l ")
		if !strings.Contains(err.Error(), "-o HostKeyAlias=jump2+card") {
			t.Errorf("got %v, want the name of the key in the command", err)
		}
	}
}

func TestSSHRefuses(t *testing.T) {
	t.Parallel()
	s := daemon.StartSSH(t, daemon.SSHOptions{Password: true})
	expectRefused(t, node(s),
		"node bf: "+s.User+"@127.0.0.1 wants a password, as none of your keys is allowed there, and nobody is asked "+
			"for one")

	s = daemon.StartSSH(t, daemon.SSHOptions{Config: []string{"AuthorizedKeysFile none"}})
	expectRefused(t, node(s), "node bf: "+s.User+"@127.0.0.1 takes none of your keys (publickey): load the right one")

	n := node(s)
	n.Host = "no-such-host.invalid"
	expectRefused(t, n, "node bf: there is no host no-such-host.invalid (")

	n = node(s)
	n.SSHConfig = "/nonexistent"
	expectRefused(t, n, "node bf: there is no ssh configuration /nonexistent (")

	n.SSHConfig = filepath.Join(t.TempDir(), "config")
	writeFile(t, n.SSHConfig, "Nonsense yes\n")
	expectRefused(t, n, "node bf: the ssh configuration has a mistake (Bad configuration option: nonsense)")
}

// TestSSHSilence: a program listens and says nothing, like a machine that hangs.
func TestSSHSilence(t *testing.T) {
	slow(t)
	t.Parallel()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	port := l.Addr().(*net.TCPAddr).Port
	direct := Node{Name: "bf", Via: SSH, Host: "127.0.0.1", Port: port, SSHConfig: "/dev/null"}
	jump := Node{Name: "bf", Via: SSH, Host: "bf", Jump: "127.0.0.1:" + strconv.Itoa(port), SSHConfig: "/dev/null"}
	for name, n := range map[string]*Node{"direct": &direct, "jump": &jump} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectRefused(t, n,
				"node bf: "+n.Host+" answers nothing: is it up, and is what listens there an ssh server?")
		})
	}
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := Output(ctx, &direct, "true"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("found %v, wanted the context's error", err)
		}
	})
}

func TestSSHCut(t *testing.T) {
	slow(t)
	t.Parallel()
	network := daemon.NewNet(t)
	n := node(daemon.StartSSH(t, daemon.SSHOptions{Net: network}))
	result := make(chan error, 1)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd, stderr := commandOn(t, n, []string{"sh", "-c", "echo up; exec sleep 1000"})
	cmd.Stdout = w
	must.Do(t, cmd.Start())
	w.Close()
	go func() { result <- n.ended(t.Context(), stderr, cmd.Wait()) }()
	must.Get(r.Read(make([]byte, 3)))(t)
	network.Cut(t)
	select {
	case err := <-result:
		expectExplained(t, err, "node bf: the connection to "+network.There+" is lost: nothing came for 6 s")
	case <-time.After(30 * time.Second): // a hang, not a measure: TCP alone takes a quarter of an hour
		cmd.Process.Kill()
		t.Error("the command did not notice that its connection is lost")
	}
	expectRefused(t, n, "node bf: "+network.There+" is not reached by ssh at port "+strconv.Itoa(n.Port)+" (")
}

// TestSSHServerEnds: a server that ends closes the connections of its sessions.
func TestSSHServerEnds(t *testing.T) {
	t.Parallel()
	daemon.NeedRoot(t)
	s := daemon.StartSSH(t, daemon.SSHOptions{})
	n := node(s)
	cmd, stderr := commandOn(t, n, []string{"cat"})
	stdin, stdout := pipes(t, cmd)
	must.Do(t, cmd.Start())
	stdin.Write([]byte("x"))
	must.Get(stdout.Read(make([]byte, 1)))(t)
	s.Kill()
	expectExplained(t, n.ended(t.Context(), stderr, cmd.Wait()),
		"node bf: 127.0.0.1 closed the connection: its sshd or the machine went down, or ended it")
}

func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it waits for seconds until a silent connection is given up")
	}
}

func expectExplained(t *testing.T, err error, want string) {
	t.Helper()
	var e *Explained
	if !errors.As(err, &e) || !strings.HasPrefix(e.Error(), want) {
		t.Errorf("found  %v\nwanted %s…", err, want)
	}
}

// expectRefused runs true on a node to which there is no way, for the wanted reason.
func expectRefused(t *testing.T, n *Node, want string) {
	t.Helper()
	_, err := Output(t.Context(), n, "true")
	expectExplained(t, err, want)
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
}

func empty(t *testing.T, file string) {
	t.Helper()
	writeFile(t, file, "")
}

func expectEmpty(t *testing.T, file string) {
	t.Helper()
	if b, err := os.ReadFile(file); err != nil || len(b) > 0 {
		t.Errorf("%s was written to: %s %v", file, b, err)
	}
}

// TestSudo: commands run by sudo, with their arguments, bytes and status unchanged. A sudo that
// asks for a password is an error with its remedy.
func TestSudo(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for seconds: it logs in for each kind of refusal")
	}
	bin := t.TempDir()
	shim := func(script string) {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(bin, "sudo"), []byte("#!/bin/sh\n"+script), 0o755))
	}
	s := daemon.StartSSH(t, daemon.SSHOptions{
		Config: []string{"SetEnv PATH=" + bin + ":/usr/bin:/bin"},
	})
	n := node(s)
	n.Sudo = true
	shim(`test "$1 $2" = "-n --" && shift 2 && BY=sudo exec "$@"` + "\n")
	testContract(t, n)
	installed(t, n, s)
	if out, err := Output(t.Context(), n, "sh", "-c", "echo $BY"); err != nil || string(out) != "sudo\n" {
		t.Errorf("found %q, %v, want that sudo ran it", out, err)
	}
	for said, want := range map[string]string{
		"sudo: a password is required":                                   "without one (for a card, dpukv",
		"sudo: sorry, you must have a tty to run sudo":                   "allow it there without one",
		"me is not in the sudoers file.":                                 "sudo is not there, or not for this user",
		"Sorry, user me is not allowed to execute 'true' as root on bf.": "not for this user",
		"Sorry, user me may not run sudo on bf.":                         "not for this user",
	} {
		shim("echo " + quote(said) + " >&2; exit 1\n")
		_, err := Output(t.Context(), n, "true")
		must.Fail(t, err, want)
	}
	n = node(daemon.StartSSH(t, daemon.SSHOptions{Config: []string{"SetEnv PATH=" + t.TempDir()}}))
	n.Sudo = true
	expectRefused(t, n, "node bf: sudo is not there")
}
