package redis

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipetest"
	"dpukv/kvs/kvstest"
)

// recording is a server that answers INFO from a file of testdata, and keeps keys.
//
// The files are answers of real servers, shortened, with sections that they lack. In valkey.info
// everything but Commandstats is from Valkey's documentation (valkey-doc, commands/info.md), with
// the version of a release. In dragonfly.info Server, Clients and Memory are from an instance of
// 1.39 with one thread (dragonflydb/dragonfly#7756), and Cpu is from dragonflydb/dragonfly#143. The
// other sections have the fields that src/server/server_family.cc prints, and made numbers.
type recording struct {
	info map[string]string // by section
	keys map[string]string
}

// startRecording returns the server's address.
func startRecording(t *testing.T, p *product) string {
	t.Helper()
	r := recording{info: map[string]string{}, keys: map[string]string{}}
	text := string(must.Get(os.ReadFile("testdata/" + p.name + ".info"))(t))
	for section := range strings.SplitSeq(text, "\n\n") {
		title, _, _ := strings.Cut(strings.TrimPrefix(section, "# "), "\n")
		r.info[strings.ToLower(title)] = section
	}
	r.info["all"] = text // and no word else: Dragonfly knows no "everything"
	return kvstest.Listen(t, r.serve)
}

func (r *recording) serve(c net.Conn) {
	for in := bufio.NewReader(c); ; {
		words, err := command(in)
		if err != nil {
			return
		}
		if _, err := io.WriteString(c, r.answer(words)); err != nil {
			return
		}
	}
}

// command reads "*N\r\n$LEN\r\nWORD\r\n…".
func command(in *bufio.Reader) (words []string, err error) {
	var n, size int
	if _, err := fmt.Fscanf(in, "*%d\r\n", &n); err != nil {
		return nil, err
	}
	for range n {
		if _, err := fmt.Fscanf(in, "$%d\r\n", &size); err != nil {
			return nil, err
		}
		word := make([]byte, size+2)
		if _, err := io.ReadFull(in, word); err != nil {
			return nil, err
		}
		words = append(words, string(word[:size]))
	}
	return words, nil
}

func (r *recording) answer(words []string) string {
	switch words[0] {
	case "HELLO":
		return "%1\r\n$5\r\nproto\r\n:3\r\n"
	case "INFO":
		text := r.info[words[1]]
		return fmt.Sprintf("=%d\r\ntxt:%s\r\n", len(text)+4, text)
	case "CONFIG":
		return "%0\r\n"
	case "SET":
		r.keys[words[1]] = words[2]
		return "+OK\r\n"
	case "GET":
		if value, there := r.keys[words[1]]; there {
			return "$" + strconv.Itoa(len(value)) + "\r\n" + value + "\r\n"
		}
		return "_\r\n"
	}
	return "-ERR unknown command\r\n"
}

// TestProducts attaches to each product, by its own store and by Redis's.
func TestProducts(t *testing.T) {
	for _, c := range []struct {
		of                *product
		version, mode     string
		workers           int
		cpuNs             int64
		evicted, items    uint64
		instead, variable string // what other stores say
	}{
		{&valkey, "Valkey 8.1.1", "store", 1, 287_885_330_000, 0, 0, "found Valkey 8.1.1", "VALKEYCLI_AUTH"},
		{
			&dragonfly, "Dragonfly df-v1.39.0", "cache", 4, 54_520_888_000, 3, 2, "found Dragonfly df-v1.39.0",
			"REDISCLI_AUTH",
		},
	} {
		addr := startRecording(t, c.of)
		for _, store := range []*product{c.of, &plain} {
			r := must.Keep(store.dial(t.Context(), addr, Options{}))(t)
			f := r.Facts()
			if f.Store != store.name || f.Version != c.version || f.Mode != c.mode || f.Workers != c.workers ||
				f.Protocol != resp3 {
				t.Errorf("%s as %s: the facts say %+v", c.of.name, store.name, f)
			}
			s := must.Get(r.Stats())(t)
			w := s.Workers[0]
			if off := s.CPUNs - c.cpuNs; off < -1000 || off > 1000 || w.Ops != 1000 || w.Evicted != c.evicted ||
				w.Items != c.items {
				t.Errorf("%s as %s: the counters are %+v", c.of.name, store.name, s)
			}
			warns := slices.ContainsFunc(s.Warnings, func(w string) bool {
				return strings.Contains(w, "the server is "+c.version) && strings.Contains(w, "Use store "+c.of.name)
			})
			if warns != (store == &plain) || len(s.Warnings) > 1 {
				t.Errorf("%s as %s: the warnings are %q", c.of.name, store.name, s.Warnings)
			}
			got := kvstest.Do(t, kvstest.Open(t, r, kvs.SessionOptions{Batch: 2, Window: 1, Connections: 1}), nil,
				[]kvs.Request{{Op: kvs.Set, Key: []byte("k"), Value: []byte("v")}, {Op: kvs.Get, Key: []byte("k")}})
			if string(got[1].Value) != "v" {
				t.Errorf("%s as %s: found %+v", c.of.name, store.name, got)
			}
		}
		for _, other := range []*product{&valkey, &dragonfly} {
			if other != c.of {
				_, err := other.dial(t.Context(), addr, Options{})
				pipetest.Refused(t, err, fmt.Sprintf("%s, allowed with store %s: %s; use store %s", c.instead,
					other.name, other.title, c.of.name))
			}
		}
		if got := c.of.endpoints().PasswordVariable; got != c.variable {
			t.Errorf("%s: the password is in %s", c.of.name, got)
		}
	}
}

// TestRedisIsNoOther: the stores named after others refuse Redis, and say which store takes it.
func TestRedisIsNoOther(t *testing.T) {
	addr := run(t)
	for _, p := range []*product{&valkey, &dragonfly} {
		_, err := p.dial(t.Context(), addr, Options{})
		pipetest.Refused(t, err, "allowed with store "+p.name+": "+p.title+"; use store redis")
	}
	if v := dial(t, addr, Options{}).Facts().Version; strings.Contains(v, " ") {
		t.Errorf("the version of Redis is %q", v)
	}
}

// TestThreadsUntold: a managed Dragonfly hides its threads, which is a warning.
func TestThreadsUntold(t *testing.T) {
	n := node{store: &dragonfly, product: &dragonfly}
	server, client := net.Pipe()
	defer server.Close()
	go (&recording{info: map[string]string{"memory": "maxmemory:1"}}).serve(server)
	n.control = newControl(client)
	defer client.Close()
	if err := n.settings(""); err != nil || n.workers != 1 || !strings.Contains(n.unreported, "counts as one thread") {
		t.Errorf("%v, %d threads, %q", err, n.workers, n.unreported)
	}
}

// TestUnpadded: Dragonfly writes microseconds without leading zeros.
func TestUnpadded(t *testing.T) {
	for text, want := range map[string]float64{"23.13618": 23.013618, "0.0": 0, "1.999999": 1.999999, "7.5": 7.000005} {
		if got, err := unpadded(text); err != nil || got != want {
			t.Errorf("%s: found %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1", "-1.0", "1.x"} {
		if _, err := unpadded(text); err == nil {
			t.Errorf("%q is a time", text)
		}
	}
}

// TestArguments checks what starts a product.
func TestArguments(t *testing.T) {
	cfg := kvs.ServerConfig{
		Workers: 3, Items: 1000, KeyBytes: 8, ValueBytes: 8, Setup: kvs.Setup{Mode: "cache"},
	}
	for _, c := range []struct {
		of   *product
		want []string
	}{
		{&valkey, []string{"--io-threads 3", "--maxmemory-policy allkeys-lru", "--appendonly no", "--save "}},
		{&dragonfly, []string{"--proactor_threads 3", "--cache_mode=true", "--maxmemory 805306368", "--dbfilename= "}},
	} {
		args := strings.Join(must.Get(c.of.arguments(&cfg, "127.0.0.1", "7"))(t), " ")
		for _, want := range append(c.want, "--bind 127.0.0.1 --port 7") {
			if !strings.Contains(args, want) {
				t.Errorf("%s: %q is not in %q", c.of.name, want, args)
			}
		}
	}
}

// TestStartProducts starts what is installed, and checks every operation.
func TestStartProducts(t *testing.T) {
	for _, p := range []*product{&valkey, &dragonfly} {
		t.Run(p.name, func(t *testing.T) {
			st := p.store()
			_, err := st.Program()
			programs.NeedFound(t, err)
			s := must.Keep(st.Start(&kvs.ServerConfig{
				Listen: "127.0.0.1:0", Workers: 1, Items: 10_000, KeyBytes: 8, ValueBytes: 8,
				Setup: kvs.Setup{Mode: "store"},
			}))(t)
			r := must.Keep(st.Dial(context.Background(), &kvs.DialConfig{Addr: s.Addr()}))(t)
			kvstest.Conform(t, r, kvstest.Limits{})
		})
	}
}

// TestNotInstalled: the error says where the program comes from.
func TestNotInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		of   *product
		want string
	}{
		{&valkey, "valkey-server is not in PATH: install it (Debian: apt-get install valkey-server)"},
		{&dragonfly, "dragonfly is not in PATH: install it (Debian has no package of it)"},
	} {
		_, err := c.of.store().Program()
		pipetest.Refused(t, err, c.want)
	}
}
