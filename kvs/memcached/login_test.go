package memcached

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/certs"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipetest"
	"dpukv/kvs/kvstest"
)

const password = pipetest.Password

// run runs memcached with arguments of the test's own, and returns HOST:PORT.
func run(t testing.TB, args ...string) string {
	t.Helper()
	port := pipetest.FreePort(t)
	addr := "127.0.0.1:" + port
	pipetest.Program(t, "tcp", addr, program, asUser("-l", "127.0.0.1", "-p", port, "-U", "0", args)...)
	return addr
}

// asUser adds the user, which memcached requires of root.
func asUser(a, b, c, d, e, f string, args []string) []string {
	all := append([]string{a, b, c, d, e, f}, args...)
	if os.Geteuid() == 0 {
		all = append(all, "-u", "root")
	}
	return all
}

func authFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "auth")
	must.Do(t, os.WriteFile(path, []byte("alice:"+password+"\n"), 0o600))
	return path
}

// TestLogin checks every operation of a server with an auth file, and what it refuses.
func TestLogin(t *testing.T) {
	addr := run(t, "-Y", authFile(t))
	url := "memcached://alice@" + addr
	kvstest.Conform(t, dial(t, url, Options{Credentials: pipetest.Credentials(password)}), kvstest.Limits{})
	for name, c := range map[string]struct {
		url  string
		opts Options
		want string
	}{
		"no password":      {addr, Options{}, "the server requires a password; give it with --password-file"},
		"a wrong password": {url, Options{Credentials: pipetest.Credentials("wrong")}, "refused the login"},
		"another user": {
			"memcached://bob@" + addr, Options{Credentials: pipetest.Credentials(password)}, "the user bob",
		},
		"no user":     {addr, Options{Credentials: pipetest.Credentials(password)}, "memcached://USER@HOST:PORT"},
		"only a user": {url, Options{}, "without the other"},
		"binary": {
			url,
			Options{Protocol: Binary, Credentials: pipetest.Credentials(password)},
			"auth file is of the text protocol",
		},
		"a database": {"memcached://" + addr + "/1", Options{}, "has only one"},
	} {
		_, err := Dial(t.Context(), c.url, c.opts)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		pipetest.Refused(t, err, c.want)
	}
}

// TestNoPassword: a server without an auth file would store the password, so it never gets it.
func TestNoPassword(t *testing.T) {
	addr := run(t)
	_, err := Dial(t.Context(), "memcached://alice@"+addr, Options{Credentials: pipetest.Credentials(password)})
	pipetest.Refused(t, err, "a server that asks for none")
	r := dial(t, addr, Options{})
	if s, err := r.Stats(); err != nil || s.Workers[0].Items != 0 {
		t.Errorf("the server has %+v items, %v", s.Workers, err)
	}
}

// TestUnixSocket checks every operation over a Unix socket.
func TestUnixSocket(t *testing.T) {
	path := pipetest.SocketPath(t)
	pipetest.Program(t, "unix", path, program, asUser("-s", path, "-a", "700", "-t", "2", nil)...)
	r := dial(t, "unix://"+path, Options{})
	if f := r.Facts(); f.Transport != "unix" {
		t.Errorf("the facts say %+v", f)
	}
	kvstest.Conform(t, r, kvstest.Limits{})
}

// TestTLS checks every operation over TLS, in both protocols.
func TestTLS(t *testing.T) {
	files := certs.New(t)
	addr := run(t, "-Z", "-o", "ssl_chain_cert="+files.Cert+",ssl_key="+files.Key)
	c := kvs.Credentials{TLS: kvs.TLSOptions{CA: pipetest.Secret(t, files.CA)}}
	for _, protocol := range Protocols {
		r := dial(t, "memcacheds://"+addr, Options{Credentials: c, Protocol: protocol})
		if f := r.Facts(); f.Transport != "tcp+tls" || !strings.HasSuffix(f.TLS, "certificate verified") {
			t.Errorf("the facts say %+v", f)
		}
		t.Run(protocol, func(t *testing.T) { kvstest.Conform(t, r, kvstest.Limits{}) })
	}
	_, err := Dial(t.Context(), "memcacheds://"+addr, Options{})
	pipetest.Refused(t, err, "--tls-ca")
	_, err = Dial(t.Context(), addr, Options{})
	pipetest.Refused(t, err, "TLS")
}

// TestTTL: an item of a SET or ADD expires after its time to live, as the server says. Another does not.
func TestTTL(t *testing.T) {
	addr := run(t)
	for _, protocol := range Protocols {
		r := must.Get(Dial(t.Context(), addr, Options{Protocol: protocol}))(t)
		defer r.Close()
		for ttl, want := range map[time.Duration]string{90 * time.Second: "exp=", 0: "exp=-1"} {
			s := kvstest.Open(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1})
			for _, op := range []kvs.Op{kvs.Set, kvs.Add} {
				k := []byte("k")
				kvstest.Do(t, s, nil, []kvs.Request{{Op: kvs.Delete, Key: k}})
				kvstest.Do(t, s, nil, []kvs.Request{{Op: op, Key: k, Value: k, TTL: ttl}})
				got := itemOf(t, addr)
				if !strings.Contains(got, want) || ttl > 0 && strings.Contains(got, "exp=-1") {
					t.Errorf("%s, %v, %v: the server says %q, want %s", protocol, op, ttl, got, want)
				}
			}
		}
	}
}

// itemOf asks what the server knows of the item k.
func itemOf(t *testing.T, addr string) string {
	t.Helper()
	c := must.Get(net.Dial("tcp", addr))(t)
	defer c.Close()
	must.Get(c.Write([]byte("me k\r\n")))(t)
	return must.Get(bufio.NewReader(c).ReadString('\n'))(t)
}
