package kvs

// Server is a store's server that accepts load.
type Server interface {
	Addr() string
	Facts() Facts
	// Wait blocks until the server has ended, and says why if nobody closed it.
	Wait() error
	Close() error
}

// ServerConfig is what a server is started with, whatever its store.
type ServerConfig struct {
	// Listen is HOST:PORT; port 0: any free one.
	Listen  string `json:"listen"`
	Workers int    `json:"workers"` // threads that answer
	// The server has room for Items of these sizes.
	Items      int `json:"items"`
	KeyBytes   int `json:"key_bytes"`
	ValueBytes int `json:"value_bytes"`
	// Mode is "cache" (the server may lose items to make room) or "store" (it may not).
	Mode   string `json:"mode"`
	Access string `json:"access"` // "erew", "crew" or "crcw"
	// Hash is the hash function that clients must use for keys, or [NoHash].
	Hash string `json:"hash"`
	// Device is the server's, of a store over verbs.
	Device Device `json:"device,omitzero"`

	// CPUs are where the workers are pinned, in turn. None: they are not pinned.
	CPUs []int `json:"-"` // a node's part says it for servers and clients alike
	// Version is that of this build, for the server's facts.
	Version string `json:"-"` // a node has its own
}

// DialConfig is how a client reaches a server, whatever its store.
type DialConfig struct {
	Addr string `json:"addr"` // the server's
	// Protocol is one of the store's [Store.Protocols]; empty: the client's own choice.
	Protocol string `json:"protocol,omitempty"`
	// ServerCPUs are where the server is pinned, for clients that cannot ask it.
	ServerCPUs []int `json:"server_cpus,omitempty"`
	// Device is the client's, of a store over verbs.
	Device Device `json:"device,omitzero"`
}

// Device names a verbs device, with the options of package provider.
type Device struct {
	Name     string `json:"name"` // empty: the store's own choice
	GIDIndex int    `json:"gid_index"`
	MTU      int    `json:"mtu,omitempty"`
}

// LoadConfig is what a load asks of a store.
type LoadConfig struct {
	KeyBytes, ValueBytes int
	Batch, Window        int // operations a batch, batches in flight a connection
	Access, Protocol     string
}
