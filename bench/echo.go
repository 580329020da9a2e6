package bench

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"

	"dpukv/internal/cpu"
	"dpukv/kvs"

	"github.com/panjf2000/gnet/v2"
	"golang.org/x/sys/unix"
)

// The start of every MICA frame: bytes u32, version u8, kind u8, count u16, sequence u64.
const (
	frameHeader = 16
	kindHello   = 1
	helloMagic  = "dpukv\x00M1" // a hello's body
	kindWelcome = 2
	kindRequest = 3
	kindAnswer  = 4
)

// echo is a gnet server without a store: it answers every request frame with one ready-made frame
// of the size of MICA's answer. It shows the cost of moving the bytes.
type echo struct {
	gnet.BuiltinEventEngine
	cpu     int
	port    int
	booted  chan error
	answer  []byte
	welcome []byte
	out     []byte
	pinned  bool
	engine  gnet.Engine
	over    chan struct{}
	cpuNs   atomic.Int64 // of the loop's thread, when it last answered
	ops     atomic.Int64
}

func startEcho(batch, valueBytes, pin int) (*echo, error) {
	e := &echo{
		cpu: pin, booted: make(chan error, 1), over: make(chan struct{}),
		out: make([]byte, 0, 1<<20),
	}
	go func() {
		err := gnet.Run(e, "tcp://127.0.0.1:0", gnet.WithNumEventLoop(1),
			gnet.WithLockOSThread(true),
			gnet.WithTCPNoDelay(gnet.TCPNoDelay), gnet.WithReadBufferCap(256<<10),
			gnet.WithLogger(quiet{}))
		select {
		case e.booted <- err:
		default:
		}
		close(e.over)
	}()
	if err := <-e.booted; err != nil {
		return nil, err
	}
	e.answer = answerFrame(batch, valueBytes)
	e.welcome = welcomeFrame(strconv.Itoa(e.port))
	return e, nil
}

// answerFrame is an answer of the size of MICA's, with a value for each request.
func answerFrame(batch, valueBytes int) []byte {
	heads, value := (4*batch+7)&^7, (valueBytes+7)&^7
	frame := make([]byte, frameHeader+heads+batch*value)
	putFrameHeader(frame, kindAnswer, batch)
	for i := range batch {
		binary.LittleEndian.PutUint32(frame[frameHeader+4*i:], uint32(valueBytes)<<16)
	}
	return frame
}

// welcomeFrame is the welcome of an echo on a port.
func welcomeFrame(port string) []byte {
	text, err := json.Marshal(map[string]any{
		"facts": kvs.Facts{
			Store: "echo", Workers: 1, Partitions: 1, Hash: "city64",
			Setup: kvs.Setup{Mode: "cache", Access: "erew"}, MaxBatch: 4096, MaxFrameBytes: 8 << 20,
			MinHitRate: kvs.LeastHitRate,
		},
		"ports": []json.RawMessage{json.RawMessage(port)},
	})
	if err != nil {
		panic(err)
	}
	frame := append(make([]byte, frameHeader), text...)
	putFrameHeader(frame, kindWelcome, 0)
	return frame
}

func putFrameHeader(frame []byte, kind byte, count int) {
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)))
	frame[4], frame[5] = 1, kind
	binary.LittleEndian.PutUint16(frame[6:], uint16(count))
}

func (e *echo) addr() string { return fmt.Sprintf("127.0.0.1:%d", e.port) }

func (e *echo) close() {
	c, err := net.Dial("tcp", e.addr())
	if err == nil {
		c.Write(make([]byte, frameHeader)) // a frame of no bytes ends it
		c.Close()
	}
	<-e.over
}

func (e *echo) OnBoot(engine gnet.Engine) gnet.Action {
	e.engine = engine
	fd, err := engine.Dup()
	if err == nil {
		defer unix.Close(fd)
		var sa unix.Sockaddr
		if sa, err = unix.Getsockname(fd); err == nil {
			e.port = sa.(*unix.SockaddrInet4).Port
		}
	}
	e.booted <- err
	return gnet.None
}

func (e *echo) OnOpen(gnet.Conn) ([]byte, gnet.Action) {
	if !e.pinned {
		e.pinned = true
		if err := cpu.PinThread(e.cpu); err != nil {
			panic(err)
		}
	}
	return nil, gnet.None
}

func (e *echo) OnTraffic(c gnet.Conn) gnet.Action {
	e.out = e.out[:0]
	for c.InboundBuffered() >= frameHeader {
		head, _ := c.Peek(frameHeader)
		n := int(binary.LittleEndian.Uint32(head))
		if n < frameHeader {
			return gnet.Shutdown
		}
		if c.InboundBuffered() < n {
			break
		}
		at := len(e.out)
		if head[5] == kindRequest {
			e.out = append(e.out, e.answer...)
			e.ops.Add(int64(binary.LittleEndian.Uint16(head[6:])))
		} else {
			e.out = append(e.out, e.welcome...)
		}
		copy(e.out[at+8:at+16], head[8:16])
		c.Discard(n)
	}
	if len(e.out) > 0 {
		c.Write(e.out)
	}
	e.cpuNs.Store(cpu.ThreadNs())
	return gnet.None
}

type quiet struct{}

func (quiet) Debugf(string, ...any) {}
func (quiet) Infof(string, ...any)  {}
func (quiet) Warnf(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}
