package placement

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"dpukv/client/load"
	"dpukv/internal/doctor"
	"dpukv/internal/killed"
	"dpukv/internal/machine"
	"dpukv/kvs"
	"dpukv/placement/survey"
	"dpukv/results"
)

// protocolVersion changes whenever an older node would misunderstand a message.
const protocolVersion = 5

// maxMessageBytes is room for the histograms of a long point; past it the peer is no node of ours.
const maxMessageBytes = 16 << 20

// message is what one line carries. Its kind is the line's type field.
type message interface{ kind() string }

// From a node.
type (
	// hello is a node's first word. It must be understood across versions, so it only ever grows.
	hello struct {
		Protocol int           `json:"protocol"`
		Version  string        `json:"version"`
		Build    string        `json:"build"`            // digest of the binary: client and server must be one program
		Source   string        `json:"source,omitempty"` // the revision it was built from, where that is known
		Machine  machine.Facts `json:"machine"`
		Kernel   string        `json:"kernel"` // its boot's ID: two nodes with the same share CPUs
		Cores    [][]int       `json:"cores"`  // those of the CPUs it may use that are threads of one core, together
		// Findings are what will spoil a measurement there.
		Findings []doctor.Finding `json:"findings,omitempty"`
		// Killed is what its kernel had ended for want of memory until then.
		Killed killed.Count `json:"killed,omitzero"`

		heard time.Time // by the clock here
	}
	// ready: the server accepts load, or the client has preloaded, verified, and waits for start.
	ready struct {
		Addr    string    `json:"addr"` // the server's
		Facts   kvs.Facts `json:"facts"`
		HitRate float64   `json:"hit_rate,omitempty"` // a client's, of the keys it preloaded
	}
	// progress of a client, now and then.
	progress struct {
		Phase         string  `json:"phase"`
		Done          uint64  `json:"done,omitempty"` // keys, of Total
		Total         uint64  `json:"total,omitempty"`
		ThroughputOps float64 `json:"throughput_ops,omitempty"`
		LatencyP99Ns  int64   `json:"latency_p99_ns,omitempty"`
	}
	// result of a client: what it used and counted, and the histogram log. The point may be a
	// failed one, which says why.
	result struct {
		Point results.Point `json:"point"`
		Hlog  []byte        `json:"hlog"`
	}
	// inspection answers inspect.
	inspection struct {
		Report  survey.Report     `json:"report"`
		Addr    string            `json:"addr,omitempty"` // where it listens until its end
		Error   string            `json:"error,omitempty"`
		Devices map[string]string `json:"devices"` // by name: why it cannot be opened, "" if it can
	}
	// reached answers reach.
	reached struct {
		Now    time.Time         `json:"now"`    // by the node's clock, at first
		Errors map[string]string `json:"errors"` // by address: why it cannot be reached, "" if it can
	}
	// measured: the client's load is over and all is answered. Its connections are open until release.
	measured struct{}
	// counted answers count: what the server's open connections and its device have moved so far.
	counted struct {
		Moved kvs.Moved `json:"moved"`
	}
	// failed is a node's last word when it cannot do what it was asked.
	failed struct {
		Error string `json:"error"`
	}
)

// To a node.
type (
	// configure gives a node its part: exactly one of Server and Client.
	configure struct {
		CPUs   []int       `json:"cpus"`
		Server *serverSpec `json:"server,omitempty"`
		Client *clientSpec `json:"client,omitempty"`
	}
	serverSpec struct {
		Attach     string `json:"attach,omitempty"` // the address of a server that runs already: it is not started
		Store      string `json:"store"`
		Listen     string `json:"listen"`
		Workers    int    `json:"workers"`
		Keys       int    `json:"keys"`
		KeyBytes   int    `json:"key_bytes"`
		ValueBytes int    `json:"value_bytes"`
		Hash       string `json:"hash"`
		Mode       string `json:"mode"`
		Access     string `json:"access"`
		RDMA       RDMA   `json:"rdma"` // of HERD: the device as provider.Open names it
	}
	clientSpec struct {
		ServerCPUs []int  `json:"server_cpus,omitempty"` // that it is pinned to, for clients that can't ask it
		Store      string `json:"store"`
		Protocol   string `json:"protocol,omitempty"`
		Addr       string `json:"addr"`      // the server's
		SameHost   bool   `json:"same_host"` // as the server
		RDMA       RDMA   `json:"rdma"`      // as in serverSpec
		load.Load
		Preloaded   bool          `json:"preloaded"` // by another client
		Threads     int           `json:"threads"`
		FirstThread int           `json:"first_thread"` // its number among all_threads, those of all clients
		AllThreads  int           `json:"all_threads"`
		Duration    time.Duration `json:"duration"`
	}
	// inspect asks for what the node has and can do: listen at its address, open the devices.
	inspect struct {
		Address string `json:"address"`
		Devices []RDMA `json:"devices"` // as in serverSpec
	}
	// reach asks which of these addresses take a connection.
	reach struct {
		Addrs []string `json:"addrs"`
	}
	// count asks a server's node.
	count struct{}
	// release lets a client that has measured go on to its result.
	release struct{}
	// start lets a client that is ready begin.
	start struct{}
	// alive tells a node now and then that it is still wanted: behind a network that was cut, nothing else would say that it is not.
	alive struct{}
	// stop ends a node in good order.
	stop struct{}
)

func (*hello) kind() string      { return "hello" }
func (*inspect) kind() string    { return "inspect" }
func (*inspection) kind() string { return "inspection" }
func (*reach) kind() string      { return "reach" }
func (*reached) kind() string    { return "reached" }
func (*configure) kind() string  { return "configure" }
func (*ready) kind() string      { return "ready" }
func (*start) kind() string      { return "go" }
func (*progress) kind() string   { return "progress" }
func (*result) kind() string     { return "result" }
func (*measured) kind() string   { return "measured" }
func (*release) kind() string    { return "release" }
func (*count) kind() string      { return "count" }
func (*counted) kind() string    { return "counted" }
func (*failed) kind() string     { return "failed" }
func (*alive) kind() string      { return "alive" }
func (*stop) kind() string       { return "stop" }

// messages makes an empty message of each kind.
var messages = map[string]func() message{
	"hello":      func() message { return new(hello) },
	"inspect":    func() message { return new(inspect) },
	"inspection": func() message { return new(inspection) },
	"reach":      func() message { return new(reach) },
	"reached":    func() message { return new(reached) },
	"configure":  func() message { return new(configure) },
	"ready":      func() message { return new(ready) },
	"go":         func() message { return new(start) },
	"progress":   func() message { return new(progress) },
	"result":     func() message { return new(result) },
	"measured":   func() message { return new(measured) },
	"release":    func() message { return new(release) },
	"count":      func() message { return new(count) },
	"counted":    func() message { return new(counted) },
	"failed":     func() message { return new(failed) },
	"alive":      func() message { return new(alive) },
	"stop":       func() message { return new(stop) },
}

// line is a message as it is written: {"type":"ready","body":{…}}.
type line struct {
	Type string          `json:"type"`
	Body json.RawMessage `json:"body"`
}

// messageWriter writes messages from any goroutine.
type messageWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *messageWriter) send(m message) error {
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
	_, err = w.w.Write(append(text, '\n'))
	return err
}

// readMessages hands every message to use until the input ends or use returns false. What is no
// message ends it with an error that shows it.
func readMessages(r io.Reader, use func(message) bool) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxMessageBytes)
	for lines.Scan() {
		m, err := decodeMessage(lines.Bytes())
		if err != nil {
			return err
		}
		if !use(m) {
			return nil
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("sent a line of more than %d bytes", maxMessageBytes)
	}
	return lines.Err()
}

func decodeMessage(text []byte) (message, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("sent %s, which is no message of the protocol", excerpt(text))
	}
	empty, ok := messages[l.Type]
	if !ok {
		return nil, fmt.Errorf("sent a message of the unknown type %q", l.Type)
	}
	m := empty()
	fields := json.NewDecoder(bytes.NewReader(l.Body))
	if l.Type != "hello" {
		fields.DisallowUnknownFields()
	}
	if err := fields.Decode(m); err != nil {
		return nil, fmt.Errorf("sent a malformed message: %w (in %s)", err, excerpt(text))
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
