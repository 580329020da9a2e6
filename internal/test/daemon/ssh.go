package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
)

// SSHOptions are a server's deviations from the default.
type SSHOptions struct {
	Net      *Net   // where it runs; nil: this process's network
	Listen   string // address; "": that of Net, or 127.0.0.1
	Password bool   // it accepts passwords only
	// sh code that runs as root in its mount namespace before it starts; needs root
	Setup  string
	Config []string // more lines of sshd_config
}

// SSHServer is a running sshd, with the facts that a client needs. The login user is the user that
// runs the test.
type SSHServer struct {
	Address    string
	Port       int
	User       string
	HostKey    string // file of the public key
	Identity   string // file of the user's private key
	KnownHosts string // file with the host key
	// home of the login user: an empty folder, so that no profile of the user runs
	Home  string
	Cache string // ~/.cache there, which is not there yet

	daemon *daemon
}

// sshd insists on its absolute path.
const sshd = "/usr/sbin/sshd"

// StartSSH starts a server that ends with the test.
func StartSSH(t testing.TB, o SSHOptions) *SSHServer {
	t.Helper()
	programs.Need(t, sshd, "ssh", "ssh-keygen")
	if o.Setup != "" {
		NeedRoot(t)
	}
	s := newSSHServer(t, &o)
	config := filepath.Join(filepath.Dir(s.HostKey), "sshd_config")
	write(t, config, s.config(&o))
	s.daemon = start(t, o.Net, "mkdir /run/sshd\n"+strings.ReplaceAll(o.Setup, "$CACHE", s.Cache),
		sshd, "-D", "-e", "-f", config)
	s.daemon.awaitOutput(t, "Server listening on")
	return s
}

func newSSHServer(t testing.TB, o *SSHOptions) *SSHServer {
	t.Helper()
	me := must.Get(user.Current())(t)
	if out, _ := exec.Command("getent", "passwd", me.Uid).Output(); os.Getuid() != 0 &&
		!strings.HasSuffix(strings.TrimSpace(string(out)), "sh") {
		t.Skipf("sshd lets nobody in as %s, who runs the test and has no login shell: %s",
			me.Username, out)
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1"
		if o.Net != nil {
			o.Listen = o.Net.There
		}
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	newKey(t, in("host_key"))
	newKey(t, in("user_key"))
	s := &SSHServer{
		Address: o.Listen, Port: freePort(t), User: me.Username,
		HostKey: in("host_key.pub"), Identity: in("user_key"), KnownHosts: in("known_hosts"),
		Home: in("home"), Cache: in("home/.cache"),
	}
	must.Do(t, os.Mkdir(s.Home, 0o700))
	s.Know(t, s.HostKey)
	return s
}

// Kill ends the server and, as root, every session.
func (s *SSHServer) Kill() { s.daemon.kill() }

// Know makes the client expect a public key of the server.
func (s *SSHServer) Know(t testing.TB, key string) {
	t.Helper()
	b := must.Get(os.ReadFile(key))(t)
	write(t, s.KnownHosts, fmt.Sprintf("[%s]:%d %s", s.Address, s.Port, b))
}

// ClientConfig is a section of ssh_config that lets Host name reach the server.
func (s *SSHServer) ClientConfig(name string) string {
	return fmt.Sprintf("Host %s\nHostName %s\nPort %d\nUser %s\nIdentityFile %s\nIdentitiesOnly "+
		"yes\nUserKnownHostsFile %s\nGlobalKnownHostsFile /dev/null\n\n",
		name, s.Address, s.Port, s.User, s.Identity, s.KnownHosts)
}

func (s *SSHServer) config(o *SSHOptions) string {
	auth := "PasswordAuthentication no\nAuthorizedKeysFile " + s.Identity + ".pub"
	if o.Password {
		auth = "PasswordAuthentication yes\nPubkeyAuthentication no"
	}
	return strings.Join(append(o.Config,
		"ListenAddress "+s.Address, "Port "+strconv.Itoa(s.Port),
		"HostKey "+strings.TrimSuffix(s.HostKey, ".pub"), auth,
		"SetEnv HOME="+s.Home,
		"PidFile none", "UsePAM no", "StrictModes no", "PermitRootLogin yes",
		"KbdInteractiveAuthentication no", "MaxStartups 100", ""), "\n")
}

// newKey makes a key pair; the public one is in file.pub.
func newKey(t testing.TB, file string) {
	t.Helper()
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f",
		file).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
}

// freePort is a TCP port that nobody listens on.
func freePort(t testing.TB) int {
	t.Helper()
	return must.Get(programs.FreePort())(t)
}

func write(t testing.TB, file, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
}
