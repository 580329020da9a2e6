package storehalf

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/halves"
	"dpukv/kvs/kvstest"
	"dpukv/kvs/mica"
	"dpukv/verbs"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/provider"
	"dpukv/verbs/sidechannel"
)

func openDevice(t *testing.T) verbs.Device {
	t.Helper()
	return must.Keep(provider.Open("shm", provider.Defaults))(t)
}

// TestRefusedLanes checks a thread that the store half has not, and one that another engine has.
func TestRefusedLanes(t *testing.T) {
	s, dev := startStore(t, 2), openDevice(t)
	for thread, want := range map[int]string{
		-1: "thread: found -1, allowed: 0 to 1", 2: "thread: found 2, allowed: 0 to 1",
	} {
		_, err := halves.Join(s.Addr(), halves.Ask{Thread: thread}, dev)
		must.Fail(t, err, want)
	}
	end := must.Get(halves.Join(s.Addr(), halves.Ask{Thread: 1}, dev))(t)
	defer end.Close()
	_, err := halves.Join(s.Addr(), halves.Ask{Thread: 1}, dev)
	must.Fail(t, err, "thread 1: another engine has the lane: end that engine, or wait 10s")
}

func dialHalf(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	c := must.Keep(net.Dial("tcp", addr))(t)
	return c.(*net.TCPConn)
}

// frame is a frame of MICA.
func frame(kind byte, count int, body []byte) []byte {
	b := make([]byte, 16, 16+len(body))
	binary.LittleEndian.PutUint32(b, uint32(16+len(body)))
	b[4], b[5] = 1, kind
	binary.LittleEndian.PutUint16(b[6:], uint16(count))
	return append(b, body...)
}

// TestIllegalFrame sends frames that only the store half can find illegal: an operation is unknown,
// or missing. The client learns why. Each is a bad frame, and no frame of either half. Other clients
// are served.
func TestIllegalFrame(t *testing.T) {
	const hello, request, failure = 1, 3, 7
	s := startStore(t, 1)
	engine := startEngine(t, s, 1)
	for n, c := range []struct {
		body []byte
		want string
	}{{make([]byte, 16), "operation 0 of 1: found op 0"}, {nil, "operation"}} {
		conn := dialHalf(t, engine.Addr())
		must.Do(t, conn.SetDeadline(time.Now().Add(time.Minute)))
		_, _ = conn.Write(append(frame(hello, 0, []byte("dpukv\x00M1")), frame(request, 1, c.body)...))
		said := must.Get(io.ReadAll(conn))(t)
		if len(said) < 16 {
			t.Fatalf("the engine says %q", said)
		}
		said = said[min(len(said), int(binary.LittleEndian.Uint32(said))):] // behind the welcome
		if len(said) < 16 || said[5] != failure || !bytes.Contains(said, []byte(c.want)) {
			t.Errorf("the engine says %q", said)
		}
		w, of := must.Get(engine.Stats())(t).Workers[0], must.Get(s.Stats())(t).Workers[0]
		if w.BadFrames != uint64(n+1) || of.BadFrames != uint64(n+1) || w.Frames+of.Frames > 0 {
			t.Errorf("engine %+v, store half %+v", w, of)
		}
	}
	exercise(t, engine.Addr())
}

func openSession(t *testing.T, addr string) kvs.Session {
	t.Helper()
	r := must.Keep(mica.Store.Dial(t.Context(), &kvs.DialConfig{Addr: addr}))(t)
	return must.Keep(r.Open(kvs.SessionOptions{Batch: 1, Window: 4, Connections: 1}))(t)
}

// exercise has a server store an item, and find it.
func exercise(t *testing.T, addr string) {
	t.Helper()
	session := openSession(t, addr)
	key, value := []byte("some key"), []byte("a value!")
	kvstest.Do(t, session, nil, []kvs.Request{{Op: kvs.Set, Key: key, Value: value}})
	answers := kvstest.Do(t, session, nil, []kvs.Request{{Op: kvs.Get, Key: key}})
	if len(answers) != 1 || !bytes.Equal(answers[0].Value, value) {
		t.Errorf("found %+v", answers)
	}
}

// lines is standard error: what was written goes to the test.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// captureStderr must run before the store half starts, which then ends before stderr is restored.
func captureStderr(t *testing.T) lines {
	l, was := make(lines, 16), stderr
	stderr = l
	t.Cleanup(func() { stderr = was })
	return l
}

// askLane asks for a lane, and returns its side channel.
func askLane(t *testing.T, addr string) *sidechannel.Channel {
	t.Helper()
	ch := sidechannel.New(dialHalf(t, addr))
	must.Do(t, ch.Send(halves.Ask{Version: 1, Want: halves.Lane}))
	must.Do(t, ch.Receive(new(halves.Refusal)))
	return ch
}

// TestReport checks that the store half says why a lane ended, or was never made.
func TestReport(t *testing.T) {
	said := captureStderr(t)
	s := startStore(t, 1)
	ch := askLane(t, s.Addr())
	if err := ch.Receive(new(json.RawMessage)); err != nil { // the offer
		t.Fatal(err)
	}
	must.Do(t, ch.Send(map[string]string{"refused": "no memory"}))
	const prefix = "mica: thread 0 of the engine: "
	line := <-said
	if !strings.HasPrefix(line, prefix) || !strings.Contains(line, "the peer refuses: no memory") {
		t.Errorf("said %q", line)
	}
	ch = askLane(t, s.Addr())
	end := must.Get(mqueue.Accept(ch, openDevice(t), mqueue.Shape.Check))(t)
	defer end.Close()
	must.Do(t, ch.Send("more"))
	line = <-said
	if !strings.HasPrefix(line, prefix) || !strings.Contains(line, "found a value") {
		t.Errorf("said %q", line)
	}
}

const engineOf = "DPUKV_TEST_ENGINE" // the address of its store half

// runEngine is the process of an engine that a test kills.
func runEngine(store string) {
	engine, err := mica.StartEngine(engineConfig(store, 1))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(engine.Addr())
	fmt.Println(engine.Wait())
	os.Exit(1)
}

// TestEngineKilled kills an engine with requests in flight. Another one takes its place.
func TestEngineKilled(t *testing.T) {
	said := captureStderr(t)
	s := startStore(t, 1)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), engineOf+"="+s.Addr())
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	var addr string
	must.Get(fmt.Fscanln(stdout, &addr))(t)
	exercise(t, addr)
	session := openSession(t, addr)
	flood(t, session, cmd.Process)
	awaitOpen(t, s, 0)
	engine := startEngine(t, s, 1)
	exercise(t, engine.Addr())
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
	if len(said) > 0 {
		t.Errorf("said %q", <-said)
	}
}

// flood keeps requests in flight until the session ends. Meanwhile the engine is killed.
func flood(t *testing.T, session kvs.Session, engine *os.Process) {
	t.Helper()
	get := kvs.Request{Op: kvs.Get, Key: []byte("some key")}
	const killedAfter = 1000
	for sent, end := 0, time.Now().Add(time.Minute); time.Now().Before(end); {
		taken, err := session.Submit(&get)
		if err == nil && !taken {
			_, err = session.Poll(nil, time.Millisecond)
		}
		if err != nil {
			return
		}
		if taken {
			sent++
		}
		if sent == killedAfter && session.InFlight() > 0 {
			_ = engine.Kill()
		}
	}
	t.Error("the client learns nothing within a minute")
}

// FuzzAsk sends any first line to a store half. Each gets a whole answer or none, and the store
// half serves the next.
func FuzzAsk(f *testing.F) {
	for _, line := range []string{
		`{"version":1,"want":"facts"}`, `{"version":1,"want":"stats"}`,
		`{"version":1,"want":"lane","thread":0}`, `{"version":1,"want":"lane","thread":-1}`,
		`{"version":1,"want":"lane","thread":1e99}`, `{"version":9}`, `[]`, ``, "\x00",
		`{"version":1,"want":"` + strings.Repeat("x", maxAsk) + `"}`,
	} {
		f.Add([]byte(line))
	}
	s := must.Keep(Start(storeConfig(1)))(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		c := dialHalf(t, s.Addr())
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		_, _ = c.Write(append(line, '\n')) // the half may hang up
		_ = c.CloseWrite()
		answer, err := io.ReadAll(c)
		if err != nil && !strings.Contains(err.Error(), "reset") {
			t.Fatal(err)
		}
		for _, part := range bytes.SplitAfter(answer, []byte("\n")) {
			if len(part) > 0 && err == nil && !json.Valid(part) {
				t.Errorf("found %q", part)
			}
		}
		if _, err := halves.AskFacts(s.Addr()); err != nil {
			t.Error(err)
		}
		_ = c.Close()
	})
}
