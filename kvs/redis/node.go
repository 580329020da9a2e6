package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"dpukv/kvs"
	"dpukv/kvs/internal/installed"
	"dpukv/kvs/internal/sockets"
)

// node is one server: the only one, or one of a cluster.
type node struct {
	endpoint kvs.Endpoint
	store    *product // that the user names
	product  *product // that the server is
	peer     sockets.Peer
	control  *control

	protocol   string
	version    string
	pid        int // 0: not known
	cluster    bool
	workers    int
	memory     int64 // limit; 0: none
	mode       string
	cpus       []int
	unreported string // a warning of what the server does not tell
}

// dialNode connects to a server, logs in, and asks for what the facts contain.
func (p *product) dialNode(ctx context.Context, e *kvs.Endpoint, o *Options) (*node, error) {
	n := &node{endpoint: *e, store: p}
	var err error
	if n.peer, err = sockets.PeerOf(e, p.name, &o.Credentials.TLS); err != nil {
		return nil, err
	}
	if n.control, err = dialControl(ctx, &n.peer); err != nil {
		return nil, err
	}
	if err := n.learn(o); err != nil {
		n.control.Close()
		return nil, sockets.Explain(err)
	}
	return n, nil
}

// login is what a connection to this node says first.
func (n *node) login(o *Options) *login {
	return &login{
		user: n.endpoint.User, password: o.Credentials.Password, db: n.endpoint.DB,
		variable: n.store.passwordVariable,
	}
}

func (n *node) learn(o *Options) (err error) {
	l := n.login(o)
	if n.protocol, err = n.control.enter(l); err != nil {
		return err
	}
	server, err := n.control.info("server")
	if err != nil {
		return explain(err, l)
	}
	if n.product, n.version = productOf(server); n.product == nil {
		return errors.New("the server sent no version: check that it is a Redis server")
	}
	if err := n.store.allows(n.product, n.version); err != nil {
		return err
	}
	n.pid, _ = strconv.Atoi(server["process_id"]) // 0 stands for no process
	n.cpus = installed.PinnedTo(&n.endpoint, n.pid, n.product.program)
	cluster, err := n.control.info("cluster")
	if err != nil {
		return err
	}
	n.cluster = cluster["cluster_enabled"] == "1"
	return explain(n.settings(server["thread_count"]), l)
}

// settings asks for the settings that the facts contain. shared is the number of threads that
// execute commands, of a server that tells it.
func (n *node) settings(shared string) error {
	memory, err := n.control.info("memory")
	if err != nil {
		return err
	}
	n.memory, _ = strconv.ParseInt(memory["maxmemory"], 10, 64) // 0 stands for no limit
	n.mode = "store"
	if n.memory > 0 && memory["maxmemory_policy"] != "noeviction" {
		n.mode = "cache"
	}
	n.workers = 1 // older servers have no such setting
	if n.product.shared {
		if n.workers, err = strconv.Atoi(shared); err != nil || n.workers < 1 {
			n.workers, n.unreported = 1, n.product.name+" does not tell how many threads it has. "+
				"It counts as one thread"
		}
		return nil
	}
	threads, err := n.control.setting("io-threads")
	var refused replyError
	if errors.As(err, &refused) { // as for users of a managed server
		n.unreported = n.product.name + " refuses CONFIG GET io-threads to this user. It counts " +
			"as one thread"
		return nil
	}
	if count, parseErr := strconv.Atoi(threads); parseErr == nil {
		n.workers = max(count, 1)
	}
	return err
}

// stats asks for the counters.
func (n *node) stats() (kvs.Stats, error) {
	text, err := n.control.info("all")
	if err != nil {
		return kvs.Stats{}, fmt.Errorf("ask %s at %s for its counters: %w", n.product.name,
			n.peer.Addr, err)
	}
	s, err := n.product.parseStats(text, n.workers, n.endpoint.DB)
	if n.unreported != "" {
		s.Warnings = append(s.Warnings, n.unreported)
	}
	if n.product != n.store {
		s.Warnings = append(s.Warnings, fmt.Sprintf("the server is %s, measured as the store %s: "+
			"tables and figures name the store. Use store %s", n.called(), n.store.name,
			n.product.name))
	}
	return s, err
}

// called returns the version, with the name of a product other than Redis before it.
func (n *node) called() string {
	if n.product == &plain {
		return n.version
	}
	return n.product.title + " " + n.version
}
