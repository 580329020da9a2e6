package kvs

import "dpukv/verbs"

// Server is a running server of a store.
type Server interface {
	Addr() string
	Facts() Facts
	// Wait blocks until the server has ended. It returns the reason unless Close ended it.
	Wait() error
	Close() error
}

// NotStarted is the error of a server whose program is missing, or ended. The configuration may be
// right.
type NotStarted struct{ Err error }

func (e NotStarted) Error() string { return e.Err.Error() }

// Unwrap returns what happened.
func (e NotStarted) Unwrap() error { return e.Err }

// ServerConfig configures a server of any store.
type ServerConfig struct {
	// Listen is HOST:PORT. Port 0 stands for any free port.
	Listen  string `json:"listen"`
	Workers int    `json:"workers"` // threads that answer requests
	// Items is the number of items of these sizes that the server must have room for.
	Items int `json:"items"`
	// KeyBytes is the room for each key, if all items share theirs. MaxKeyBytes is the size of the
	// longest key. 0: all have KeyBytes.
	KeyBytes    int `json:"key_bytes"`
	MaxKeyBytes int `json:"max_key_bytes,omitempty"`
	// ValueBytes is the room for each value, if all items share theirs. MaxValueBytes is the size
	// of the largest value.
	ValueBytes    int `json:"value_bytes"`
	MaxValueBytes int `json:"max_value_bytes"`
	// FixedSizes says that all values of a key have one size. So items that share their room need
	// the mean, ValueBytes, of each.
	FixedSizes bool `json:"fixed_sizes,omitempty"`
	// GrowthBytes is the size of all the items that a log takes in for one key, while its values
	// grow to the largest. 0: they do not grow.
	GrowthBytes int `json:"growth_bytes,omitempty"`
	Setup
	// Hash is the hash function that clients must use for keys, or [NoHash].
	Hash string `json:"hash"`
	// Device is the server's device, for a store over verbs, and for the lanes of a half.
	Device Device `json:"device,omitzero"`

	// CPUs are the CPUs that the workers are pinned to, in turn. None: the workers are not pinned.
	CPUs []int `json:"-"` // a node's part says it for servers and clients alike
	// Version is the version of this build, for the server's facts.
	Version string `json:"-"` // a node has its own
}

// LongestKey returns the size of the longest key.
func (c *ServerConfig) LongestKey() int { return max(c.KeyBytes, c.MaxKeyBytes) }

// DialConfig tells a client how to reach a server of any store.
type DialConfig struct {
	Addr string `json:"addr"` // the server's, as [ParseEndpoint] accepts it
	// Credentials let the client in.
	Credentials Credentials `json:"credentials,omitzero"`
	// Protocol is one of the store's [Store.Protocols]. Empty: the client chooses.
	Protocol string `json:"protocol,omitempty"`
	// ServerCPUs are the CPUs that the server is pinned to, for clients that cannot ask the server.
	ServerCPUs []int `json:"server_cpus,omitempty"`
	// Device is the client's device, for a store over verbs, and for the lanes to a proxy.
	Device Device `json:"device,omitzero"`
	// Proxy is the address of the proxy that has the client's connections. "": the client itself.
	Proxy string `json:"proxy,omitempty"`
	// Answers is the way of requests to the proxy: "read" (the proxy fetches them) or "write" (the
	// client writes them).
	Answers string `json:"answers,omitempty"`
}

// Device names a verbs device. The address in its options is the node's.
type Device struct {
	Name string `json:"name"` // empty: the store chooses
	verbs.Options
}

// LoadConfig is the part of a load that a store has to support.
type LoadConfig struct {
	KeyBytes, MaxValueBytes int // of the longest key and the largest value
	Batch, Window           int // operations per batch, batches in flight per connection
	Access, Protocol        string
}
