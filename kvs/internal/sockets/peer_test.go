package sockets

import (
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/certs"
	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// peers are the ways to a server.
var peers = []struct {
	transport string
	listen    func(t *testing.T, serve func(net.Conn)) Peer
}{
	{"tcp", func(t *testing.T, serve func(net.Conn)) Peer { return TCP(listen(t, serve)) }},
	{"tcp+tls", listenTLS},
	{"unix", listenUnix},
}

func listenUnix(t *testing.T, serve func(net.Conn)) Peer {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "sockets"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := Peer{Network: "unix", Addr: filepath.Join(dir, "s")}
	l := must.Get(net.Listen(p.Network, p.Addr))(t)
	t.Cleanup(func() { l.Close() })
	go accept(l, serve)
	return p
}

func listenTLS(t *testing.T, serve func(net.Conn)) Peer {
	t.Helper()
	files := certs.New(t)
	return peerOf(t, serveTLS(t, &files, serve), &kvs.TLSOptions{CA: contents(t, files.CA)})
}

func serveTLS(t *testing.T, files *certs.Files, serve func(net.Conn)) (addr string) {
	t.Helper()
	pair := must.Get(tls.LoadX509KeyPair(files.Cert, files.Key))(t)
	l := must.Get(tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}}))(t)
	t.Cleanup(func() { l.Close() })
	go accept(l, serve)
	return l.Addr().String()
}

func peerOf(t *testing.T, addr string, o *kvs.TLSOptions) Peer {
	t.Helper()
	e := must.Get(kvs.ParseEndpoint("echos://" + addr))(t)
	return must.Get(PeerOf(&e, "echo", o))(t)
}

func contents(t *testing.T, path string) kvs.Secret {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return kvs.NewSecret(string(text))
}

// TestTransports sends batches of any size over each transport.
func TestTransports(t *testing.T) {
	for _, way := range peers {
		t.Run(way.transport, func(t *testing.T) {
			p := way.listen(t, echo)
			if got := p.Transport(); got != way.transport {
				t.Errorf("the transport is %q", got)
			}
			for _, most := range []int{100, 300_000} {
				manySizes(t, dialEchoSession(t, p, 1, kvs.SessionOptions{Batch: 3, Window: 20, Connections: 3}), most)
			}
		})
	}
}

// TestSecured: the facts say how the connection is secured.
func TestSecured(t *testing.T) {
	kernel.NeedTCPInfo(t)
	files := certs.New(t)
	addr := serveTLS(t, &files, echo)
	for want, o := range map[string]*kvs.TLSOptions{
		", certificate verified":     {CA: contents(t, files.CA)},
		", certificate not verified": {Insecure: true},
	} {
		p := peerOf(t, addr, o)
		c := must.Get(p.Dial(t.Context(), 5*time.Second))(t)
		if got := p.Secured(c); !strings.HasPrefix(got, "TLS 1.3 TLS_") || !strings.HasSuffix(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
		if MovedBy(c).Sockets.SentPackets == 0 {
			t.Error("the traffic is not known")
		}
		c.Close()
	}
	if p := TCP(addr); p.Secured(nil) != "" {
		t.Error("a connection in the clear is called secured")
	}
}

// TestRefused: an error of TLS says what to do.
func TestRefused(t *testing.T) {
	files, others := certs.New(t), certs.New(t)
	addr := serveTLS(t, &files, echo)
	for _, c := range map[string]struct {
		addr string
		o    kvs.TLSOptions
		want string
	}{
		"another CA":    {addr, kvs.TLSOptions{CA: contents(t, others.CA)}, "--tls-ca"},
		"no CA":         {addr, kvs.TLSOptions{}, "--tls-ca"},
		"another name":  {addr, kvs.TLSOptions{CA: contents(t, files.CA), ServerName: "x"}, "--tls-server-name"},
		"not with TLS":  {listen(t, talk), kvs.TLSOptions{Insecure: true}, "does not speak TLS"},
		"named as such": {addr, kvs.TLSOptions{CA: contents(t, files.CA), ServerName: "server.test"}, ""},
	} {
		p := peerOf(t, c.addr, &c.o)
		nc, err := p.Dial(t.Context(), 5*time.Second)
		if err == nil {
			nc.Close()
		}
		must.Fail(t, err, c.want)
	}
}

// TestRefusedByReset: a server that asks for a certificate, refuses with an alert and resets. The
// client learns the alert, though its write comes after the reset.
func TestRefusedByReset(t *testing.T) {
	files := certs.New(t)
	pair := must.Get(tls.LoadX509KeyPair(files.Cert, files.Key))(t)
	reset := make(chan struct{})
	addr := listen(t, func(c net.Conn) {
		asks := &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAnyClientCert}
		if tls.Server(c, asks).Handshake() == nil {
			t.Error("the server accepts a client without a certificate")
		}
		_ = c.(*net.TCPConn).SetLinger(0)
		c.Close()
		close(reset)
	})
	p := peerOf(t, addr, &kvs.TLSOptions{CA: contents(t, files.CA)})
	c := must.Get(p.Dial(t.Context(), 5*time.Second))(t)
	defer c.Close()
	<-reset
	_, err := c.Write([]byte("PING\r\n"))
	must.Fail(t, Explain(err), "--tls-cert")
}

// talk answers anything with text.
func talk(c net.Conn) {
	_, _ = c.Read(make([]byte, 1))
	_, _ = c.Write([]byte("-ERR unknown command\r\n"))
	c.Close()
}

// TestUnusableFiles: files of another form are errors of the user.
func TestUnusableFiles(t *testing.T) {
	e := kvs.Endpoint{Scheme: "echos", Network: "tcp", Addr: "127.0.0.1:1"}
	nonsense := kvs.NewSecret("nonsense")
	for _, o := range []kvs.TLSOptions{{CA: nonsense}, {Certificate: nonsense, Key: nonsense}} {
		_, err := PeerOf(&e, "echo", &o)
		must.Fail(t, err, "allowed: PEM")
	}
}
