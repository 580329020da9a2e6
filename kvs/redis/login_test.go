package redis

import (
	"strconv"
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

// run runs redis-server with arguments of the test's own, and returns HOST:PORT.
func run(t testing.TB, args ...string) string {
	t.Helper()
	port := pipetest.FreePort(t)
	addr := "127.0.0.1:" + port
	pipetest.Program(t, "tcp", addr, plain.program,
		append([]string{"--port", port, "--save", "", "--bind", "127.0.0.1"}, args...)...)
	return addr
}

// TestLogin measures nothing but the way in: each user, each database, and what the server or this
// package refuses.
func TestLogin(t *testing.T) {
	addr := run(t, "--requirepass", password, "--user", "alice", "on", ">"+password, "~*", "+@all",
		"--user", "reader", "on", ">"+password, "~*", "+get", "+info", "+hello", "+config|get")
	for name, c := range map[string]struct {
		url, password string
		want          string // in the error
	}{
		"the user default":  {"redis://" + addr, password, ""},
		"without a scheme":  {addr, password, ""},
		"an ACL user":       {"redis://alice@" + addr + "/3", password, ""},
		"no password":       {addr, "", "; give the password with --password-file"},
		"a wrong password":  {addr, "wrong", "check the password, and the user default"},
		"another user":      {"redis://bob@" + addr, password, "check the password, and the user bob"},
		"only a user":       {"redis://alice@" + addr, "", "found a user without a password"},
		"too high a number": {addr0(addr, 99), password, "allowed: a number below the server's setting databases"},
		"with TLS":          {"rediss://" + addr, password, "leave out the last s of the scheme"},
		"no rights":         {"redis://reader@" + addr + "/1", password, "grant the ACL user"},
	} {
		if testing.Short() && name == "with TLS" {
			t.Log("a short run: without TLS, for which the server waits seconds")
			continue
		}
		t.Run(name, func(t *testing.T) {
			r, err := Dial(t.Context(), c.url, Options{Credentials: pipetest.Credentials(c.password)})
			if err == nil {
				defer r.Close()
				works(t, r)
			}
			pipetest.Refused(t, err, c.want)
		})
	}
	_, err := Dial(t.Context(), addr, Options{})
	pipetest.Refused(t, err, "NOAUTH") // the server's own word
}

func addr0(addr string, db int) string {
	e := kvs.Endpoint{Scheme: "redis", Network: "tcp", Addr: addr, DB: db}
	return e.String()
}

// works sends requests through a session, and asks for the counters.
func works(t *testing.T, r *Remote) {
	t.Helper()
	s := kvstest.Open(t, r, kvs.SessionOptions{Batch: 2, Window: 1, Connections: 1})
	kvstest.Do(t, s, nil, []kvs.Request{
		{Op: kvs.Set, Key: []byte("k"), Value: []byte("v")}, {Op: kvs.Get, Key: []byte("k")},
	})
	st, err := r.Stats()
	if err != nil || st.Workers[0].Items != 1 {
		t.Errorf("found %+v, %v, want one item", st.Workers, err)
	}
}

// TestNoPassword: a server without a password takes any with HELLO, and refuses one with AUTH.
func TestNoPassword(t *testing.T) {
	works(t, dial(t, run(t), Options{Credentials: pipetest.Credentials(password)}))
	_, err := Dial(t.Context(), run(t, "--rename-command", "HELLO", ""),
		Options{Credentials: pipetest.Credentials(password)})
	pipetest.Refused(t, err, "leave out the password: the server has none")
}

// TestPasswordWithoutHello logs in to a server that knows only AUTH, and to one whose error quotes
// the command.
func TestPasswordWithoutHello(t *testing.T) {
	addr := run(t, "--requirepass", password, "--rename-command", "HELLO", "")
	r := dial(t, addr, Options{Credentials: pipetest.Credentials(password)})
	if r.Facts().Protocol != resp2 {
		t.Errorf("the facts say %q", r.Facts().Protocol)
	}
	works(t, r)
	addr = run(t, "--rename-command", "HELLO", "", "--rename-command", "AUTH", "")
	_, err := Dial(t.Context(), addr, Options{Credentials: pipetest.Credentials(password)})
	pipetest.Refused(t, err, "unknown command")
}

// TestWithoutConfig: a user who may not read the settings measures, with a warning.
func TestWithoutConfig(t *testing.T) {
	addr := run(t, "--user", "bob", "on", ">"+password, "~*", "+@all", "-config")
	r := dial(t, "redis://bob@"+addr, Options{Credentials: pipetest.Credentials(password)})
	works(t, r)
	s, err := r.Stats()
	if err != nil || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "refuses CONFIG GET") {
		t.Errorf("got %q, %v", s.Warnings, err)
	}
}

// TestNoRights: a user who may not write fails the first write, with what to do.
func TestNoRights(t *testing.T) {
	addr := run(t, "--user", "reader", "on", ">"+password, "~*", "+get", "+info", "+hello", "+config|get")
	r := dial(t, "redis://reader@"+addr, Options{Credentials: pipetest.Credentials(password)})
	s := kvstest.Open(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1})
	_, err := pipetest.Try(s, &kvs.Request{Op: kvs.Set, Key: []byte("k")})
	pipetest.Refused(t, err, "grant the ACL user the commands GET, SET and DEL")
}

// TestUnixSocket checks every operation over a Unix socket.
func TestUnixSocket(t *testing.T) {
	path := pipetest.SocketPath(t)
	pipetest.Program(t, "unix", path, plain.program, "--port", "0", "--unixsocket", path, "--save", "")
	r := dial(t, "unix://"+path+"?db=2", Options{})
	if f := r.Facts(); f.Transport != "unix" || f.TLS != "" {
		t.Errorf("the facts say %+v", f)
	}
	kvstest.Conform(t, r, kvstest.Limits{})
	s, err := r.Stats()
	if err != nil || len(s.Threads) == 0 {
		t.Errorf("the threads are not visible: %+v, %v", s, err)
	}
}

// runTLS runs a server with TLS alone, which asks for the client's certificate.
func runTLS(t testing.TB, files *certs.Files, args ...string) string {
	t.Helper()
	port := pipetest.FreePort(t)
	pipetest.Program(t, "tcp", "127.0.0.1:"+port, plain.program, append([]string{
		"--port", "0", "--tls-port", port, "--save", "", "--bind", "127.0.0.1",
		"--tls-cert-file", files.Cert, "--tls-key-file", files.Key, "--tls-ca-cert-file", files.CA,
	}, args...)...)
	return "127.0.0.1:" + port
}

func withClient(t testing.TB, files *certs.Files) kvs.TLSOptions {
	t.Helper()
	return kvs.TLSOptions{
		CA: pipetest.Secret(t, files.CA), Certificate: pipetest.Secret(t, files.ClientCert),
		Key: pipetest.Secret(t, files.ClientKey),
	}
}

// TestTLS checks every operation over TLS.
func TestTLS(t *testing.T) {
	files := certs.New(t)
	addr := "rediss://" + runTLS(t, &files)
	r := dial(t, addr, Options{Credentials: kvs.Credentials{TLS: withClient(t, &files)}})
	if f := r.Facts(); f.Transport != "tcp+tls" || !strings.HasSuffix(f.TLS, "certificate verified") {
		t.Errorf("the facts say %+v", f)
	}
	kvstest.Conform(t, r, kvstest.Limits{})
	_, err := Dial(t.Context(), addr, Options{
		Credentials: kvs.Credentials{TLS: kvs.TLSOptions{CA: pipetest.Secret(t, files.CA)}},
	})
	pipetest.Refused(t, err, "--tls-cert")
	_, err = Dial(t.Context(), strings.TrimPrefix(addr, "rediss://"), Options{})
	pipetest.Refused(t, err, "rediss://")
}

// TestTTL: an item of a SET or ADD expires after its time to live, as the server says. Another does not.
func TestTTL(t *testing.T) {
	r := dial(t, run(t), Options{})
	for key, ttl := range map[string]time.Duration{"short": 90 * time.Second, "long": 0, "added": time.Minute} {
		s := kvstest.Open(t, r, kvs.SessionOptions{Batch: 2, Window: 1, Connections: 1})
		op := kvs.Set
		if key == "added" {
			op = kvs.Add
		}
		got := kvstest.Do(t, s, nil, []kvs.Request{
			{Op: op, Key: []byte(key), Value: []byte("v"), TTL: ttl}, {Op: kvs.Get, Key: []byte(key)},
		})
		if got[1].Status != kvs.OK || string(got[1].Value) != "v" {
			t.Errorf("%s: %+v", key, got)
		}
		left := must.Get(r.nodes[0].control.say("PTTL", key))(t)
		ms, _ := strconv.Atoi(left[0])
		if expires := ms > 0 && ms <= 90_000; expires != (ttl > 0) || !expires && ms != -1 {
			t.Errorf("%s: PTTL says %v", key, left)
		}
	}
}
