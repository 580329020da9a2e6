package node

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"

	"dpukv/client"
	"dpukv/client/ownkeys"
	"dpukv/internal/cpu"
	"dpukv/internal/doctor"
	"dpukv/internal/foreign"
	"dpukv/internal/killed"
	"dpukv/internal/machine"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/load/trace"
	"dpukv/placement/cardreport"
	"dpukv/placement/neighbour"
	"dpukv/placement/submode/card"
	"dpukv/placement/survey"
	"dpukv/placement/testbed"
	"dpukv/probe"
	"dpukv/results"
	"dpukv/verbs/provider"
)

// ProtocolVersion changes whenever an older node would misunderstand a message.
const ProtocolVersion = 11

// The bounds of what a peer sends. A peer that sends more is no node of dpukv. A message has room
// for the histograms of a long point. A process tells of its progress ten times a second, for a
// day.
const (
	MaxMessageBytes  = 16 << 20
	maxMessages      = 1_000_000
	maxMessageValues = 100_000 // that JSON decodes into memory
)

// Message is the content of one line. Its kind is the line's type field.
type Message interface{ kind() string }

// From a node.
type (
	// Hello is a node's first message. All versions must understand it, so it only ever grows.
	Hello struct {
		Protocol int    `json:"protocol"`
		Version  string `json:"version"`
		// digest of the binary: client and server must be one program
		Build string `json:"build"`
		// the revision it was built from, where that is known
		Source string `json:"source,omitempty"`
		// Static reports a build without a C library, and so without the provider ibverbs.
		Static  bool          `json:"static,omitempty"`
		Machine machine.Facts `json:"machine"`
		Kernel  string        `json:"kernel"` // its boot's ID: two nodes with the same share CPUs
		// those of the CPUs it may use that are threads of one core, together
		Cores [][]int `json:"cores"`
		// Findings are the warnings of what will spoil a measurement there.
		Findings []doctor.Finding `json:"findings,omitempty"`
		// Killed counts the processes that the node's kernel killed for want of memory until then.
		Killed killed.Count `json:"killed,omitzero"`

		Heard time.Time // by the clock here
	}
	// Ready: the server or the proxy accepts load, or the client has preloaded, verified, and waits
	// for go.
	Ready struct {
		Addr    string    `json:"addr"` // the server's
		Facts   kvs.Facts `json:"facts"`
		HitRate float64   `json:"hit_rate,omitempty"` // a client's, of the keys it preloaded
	}
	// Progress of a client, now and then.
	Progress struct {
		Phase         string  `json:"phase"`
		Done          uint64  `json:"done,omitempty"` // keys, of Total
		Total         uint64  `json:"total,omitempty"`
		ThroughputOps float64 `json:"throughput_ops,omitempty"`
		LatencyP99Ns  int64   `json:"latency_p99_ns,omitempty"`
	}
	// Result of a client: its point and the histogram log. The point has the values it used and
	// counted. A failed point says why it failed.
	Result struct {
		Point results.Point   `json:"point"`
		Hlog  []byte          `json:"hlog"`
		Trace *trace.Identity `json:"trace_identity,omitempty"` // for later points of the node
		Lost  uint64          `json:"lost,omitempty"`           // items of others
	}
	// Inspection answers inspect.
	Inspection struct {
		Report  survey.Report     `json:"report"`
		Addr    string            `json:"addr,omitempty"` // where it listens until its end
		Error   string            `json:"error,omitempty"`
		Devices map[string]string `json:"devices"` // by name: why it cannot be opened, "" if it can
		// Providers tells which RDMA providers work there.
		Providers []provider.Availability `json:"providers,omitempty"`
		// Card answers an inspect with card, as do the address that returns datagrams, and why
		// there is none.
		Card     *cardreport.Report `json:"card,omitempty"`
		UDPAddr  string             `json:"udp_addr,omitempty"`
		UDPError string             `json:"udp_error,omitempty"`
	}
	// Reached answers reach.
	Reached struct {
		Now time.Time `json:"now"` // by the node's clock, at first
		// by address: why it cannot be reached, "" if it can
		Errors map[string]string `json:"errors"`
		UDP    map[string]string `json:"udp,omitempty"`   // the same, of datagrams
		Pings  map[string]string `json:"pings,omitempty"` // the same, of pings
	}
	// PeriodOver: the measurement period of one of several clients is over. Its load goes on until
	// end load.
	PeriodOver struct{}
	// Measured: the client's load is over and every request is answered. Its connections stay open
	// until release.
	Measured struct{}
	// Counted answers count: the traffic so far of the server's open connections and its device.
	// Threads are those of a server program other than dpukv that was started there.
	Counted struct {
		Moved   kvs.Moved    `json:"moved"`
		Threads []cpu.Thread `json:"threads,omitempty"`
		CPUNs   int64        `json:"cpu_ns,omitempty"` // CPU time so far, of a probe's server
		// Neighbour is the work so far of a neighbour. It is also the answer to configure.
		Neighbour *neighbour.Count `json:"neighbour,omitempty"`
	}
	// Examined answers examine.
	Examined struct {
		Errors []string `json:"errors"` // for each probe; "": it can be measured there
	}
	// ProbeReady: the server of a probe accepts its client, or a client waits for go.
	ProbeReady struct {
		Addr  string            `json:"addr,omitempty"`
		Facts map[string]string `json:"facts,omitempty"`
	}
	// ProbeResult is what a probe measured.
	ProbeResult struct {
		Outcome probe.Outcome `json:"outcome"`
		Hlog    []byte        `json:"hlog,omitempty"`
	}
	// KeysDone answers configure with keys. Found is from before a load, Removed from after it.
	KeysDone struct {
		Found   ownkeys.Found   `json:"found"`
		Removed ownkeys.Removed `json:"removed,omitzero"`
	}
	// Failed is the last message of a node that cannot do its task.
	Failed struct {
		Error string `json:"error"`
	}
)

// To a node.
type (
	// Configure gives a node its task: exactly one of Server, Proxy, Client, Keys, Probe and
	// Neighbour.
	Configure struct {
		CPUs      []int          `json:"cpus"`
		Server    *ServerSpec    `json:"server,omitempty"`
		Client    *ClientSpec    `json:"client,omitempty"`
		Keys      *KeysSpec      `json:"keys,omitempty"`
		Probe     *ProbeSpec     `json:"probe,omitempty"`
		Neighbour *NeighbourSpec `json:"neighbour,omitempty"`
		Proxy     *ProxySpec     `json:"proxy,omitempty"`
	}
	// NeighbourSpec describes the work beside a store.
	NeighbourSpec struct {
		Kind string `json:"kind"`
	}
	// ProbeSpec describes a probe, and this node's part in it.
	ProbeSpec struct {
		Kind   string `json:"kind"`
		Server bool   `json:"server,omitempty"` // of a pair; else the node measures
		probe.Task
	}
	// Examine asks whether probes can be measured there.
	Examine struct {
		Probes []ProbeSpec `json:"probes"`
	}
	// KeysSpec names a load's keys on a server that runs already: to look for, or to remove.
	KeysSpec struct {
		Store string `json:"store"`
		kvs.DialConfig
		Sets   []ownkeys.Set `json:"sets"`
		Terms  ownkeys.Terms `json:"terms,omitzero"`
		Remove bool          `json:"remove,omitempty"`
	}
	// ServerSpec describes the server to start, and its size.
	ServerSpec struct {
		Store string `json:"store"`
		// the address of a server that runs already: none is started
		Attach string `json:"attach,omitempty"`
		// Credentials let this node into that server.
		Credentials kvs.Credentials `json:"credentials,omitzero"`
		// Half is the half to start: [kvs.PartStore], [kvs.PartEngine], or "" for the whole.
		Half string `json:"half,omitempty"`
		kvs.HalfConfig
	}
	// ProxySpec describes the network half of a client.
	ProxySpec struct {
		Store string `json:"store"`
		kvs.ProxyConfig
	}
	// ClientSpec describes the load and the server to put it on.
	ClientSpec struct {
		Store string `json:"store"`
		kvs.DialConfig
		load.Load
		Way      *Way `json:"way,omitempty"`
		ProxyWay *Way `json:"proxy_way,omitempty"` // to the proxy
		SameHost bool `json:"same_host"`           // as the server
		// SharedServer says that a neighbour has CPUs of the server.
		SharedServer bool `json:"shared_server,omitempty"`
		Preloaded    bool `json:"preloaded"` // by another client
		// Guard protects the items of others on a server that runs already.
		Guard   *client.Guard `json:"guard,omitempty"`
		Threads int           `json:"threads"`
		// its number among all_threads, those of all clients
		FirstThread int           `json:"first_thread"`
		AllThreads  int           `json:"all_threads"`
		Duration    time.Duration `json:"duration"`
		// KnownTrace is what an earlier client of the node found the trace to be.
		KnownTrace *trace.Identity `json:"known_trace,omitempty"`
	}
	// Inspect asks for the node's facts and abilities: listen at its address, open the devices.
	Inspect struct {
		Ends
		// Modes are the ends in modes of the node's card that have ends of their own.
		Modes map[card.Mode]Ends `json:"modes,omitempty"`
		// Card asks for what the node tells of its card, too.
		Card bool `json:"card,omitempty"`
	}
	// Reach asks which of the addresses accept a connection.
	Reach struct {
		Addrs []string `json:"addrs"`
		UDP   []string `json:"udp,omitempty"`   // addresses that should return a datagram
		Pings []Ping   `json:"pings,omitempty"` // that should be answered
	}
	// Ping is an echo request that no router may cut.
	Ping struct {
		From  string `json:"from"`
		To    string `json:"to"`
		Bytes int    `json:"bytes"` // of its data
	}
	// Count asks a server's node for its traffic and its threads, or a neighbour for its work.
	Count struct{}
	// EndLoad ends a client's load after period over: no client measures any more.
	EndLoad struct{}
	// Release lets a client that has measured finish with its result.
	Release struct{}
	// Begin lets a ready client begin.
	Begin struct{}
	// alive tells a node now and then that it is still needed. Behind a network that was cut, only
	// its absence says otherwise.
	alive struct{}
	// Stop ends a node in order.
	Stop struct{}
	// Ends are what a node has for the load.
	Ends struct {
		Address string         `json:"address"`
		Listen  string         `json:"listen"` // the address with the ports that a server may use
		Devices []testbed.RDMA `json:"devices"`
	}
)

func (*Hello) kind() string       { return "hello" }
func (*Inspect) kind() string     { return "inspect" }
func (*Examine) kind() string     { return "examine" }
func (*Examined) kind() string    { return "examined" }
func (*ProbeReady) kind() string  { return "probe ready" }
func (*ProbeResult) kind() string { return "probe result" }
func (*Inspection) kind() string  { return "inspection" }
func (*Reach) kind() string       { return "reach" }
func (*Reached) kind() string     { return "reached" }
func (*Configure) kind() string   { return "configure" }
func (*Ready) kind() string       { return "ready" }
func (*Begin) kind() string       { return "go" }
func (*Progress) kind() string    { return "progress" }
func (*Result) kind() string      { return "result" }
func (*PeriodOver) kind() string  { return "period over" }
func (*EndLoad) kind() string     { return "end load" }
func (*Measured) kind() string    { return "measured" }
func (*Release) kind() string     { return "release" }
func (*Count) kind() string       { return "count" }
func (*Counted) kind() string     { return "counted" }
func (*KeysDone) kind() string    { return "keys done" }
func (*Failed) kind() string      { return "failed" }
func (*alive) kind() string       { return "alive" }
func (*Stop) kind() string        { return "stop" }

// types has the type of each kind of message.
var types = func() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, m := range []Message{
		&Hello{}, &Inspect{}, &Examine{}, &Examined{}, &ProbeReady{}, &ProbeResult{}, &Inspection{},
		&Reach{}, &Reached{}, &Configure{}, &Ready{}, &Begin{}, &Progress{}, &Result{},
		&PeriodOver{}, &EndLoad{}, &Measured{}, &Release{}, &Count{}, &Counted{}, &KeysDone{},
		&Failed{}, &alive{}, &Stop{},
	} {
		all[m.kind()] = reflect.TypeOf(m).Elem()
	}
	return all
}()

// line is a message in its written form: {"type":"ready","body":{…}}.
type line struct {
	Type string          `json:"type"`
	Body json.RawMessage `json:"body"`
}

// MessageWriter writes messages from any goroutine.
type MessageWriter struct {
	mu sync.Mutex
	W  io.Writer
}

// Send writes one message as one line.
func (w *MessageWriter) Send(m Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("message %s: %w", m.kind(), err)
	}
	text, err := json.Marshal(line{m.kind(), body})
	if err != nil {
		return fmt.Errorf("message %s: %w", m.kind(), err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.W.Write(append(text, '\n'))
	return err
}

// ReadMessages passes every message to use until the input ends or use returns false. A line that
// is no message ends it with an error that shows the line.
func ReadMessages(r io.Reader, use func(Message) bool) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	for range maxMessages {
		text, err := foreign.ReadLine(lines, "a message", MaxMessageBytes)
		switch {
		case foreign.Over(err):
			return fmt.Errorf("sent a line that never ends: %w", err)
		case err != nil && (!errors.Is(err, io.EOF) || len(text) == 0):
			return noEOF(err)
		}
		m, err := decodeMessage(bytes.TrimRight(text, "\r\n"))
		if err != nil {
			return err
		}
		if !use(m) {
			return nil
		}
	}
	return fmt.Errorf("sent too many messages: found more, allowed: at most %d", maxMessages)
}

// noEOF is an error other than the end.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func decodeMessage(text []byte) (Message, error) {
	if n := foreign.Values(text); n > maxMessageValues {
		return nil, fmt.Errorf("sent a message of about %d values, allowed: at most %d", n,
			maxMessageValues)
	}
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("sent %s, which is no message of the protocol", excerpt(text))
	}
	of, ok := types[l.Type]
	if !ok {
		return nil, fmt.Errorf("sent a message of the unknown type %q", l.Type)
	}
	m := reflect.New(of).Interface().(Message)
	fields := json.NewDecoder(bytes.NewReader(l.Body))
	if l.Type != "hello" {
		fields.DisallowUnknownFields()
	}
	if err := fields.Decode(m); err != nil {
		return nil, fmt.Errorf("sent a malformed message of the type %s: %w", l.Type, err)
	}
	return m, nil
}

func excerpt(text []byte) string {
	const most = 120
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
