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
func dialNode(ctx context.Context, e *kvs.Endpoint, o *Options) (*node, error) {
	n := &node{endpoint: *e}
	var err error
	if n.peer, err = sockets.PeerOf(e, name, &o.Credentials.TLS); err != nil {
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
	return &login{user: n.endpoint.User, password: o.Credentials.Password, db: n.endpoint.DB}
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
	if n.version = server["redis_version"]; n.version == "" {
		return errors.New("the server sent no version: check that it is a Redis server")
	}
	n.pid, _ = strconv.Atoi(server["process_id"]) // 0 stands for no process
	n.cpus = installed.PinnedTo(&n.endpoint, n.pid, program)
	cluster, err := n.control.info("cluster")
	if err != nil {
		return err
	}
	n.cluster = cluster["cluster_enabled"] == "1"
	return explain(n.settings(), l)
}

// settings asks for the settings that the facts contain.
func (n *node) settings() error {
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
	threads, err := n.control.setting("io-threads")
	var refused replyError
	if errors.As(err, &refused) { // as for users of a managed server
		n.unreported = "redis refuses CONFIG GET io-threads to this user. It counts as one thread"
		return nil
	}
	if count, parseErr := strconv.Atoi(threads); parseErr == nil {
		n.workers = max(count, 1)
	}
	return err
}

// stats asks for the counters.
func (n *node) stats() (kvs.Stats, error) {
	text, err := n.control.info("everything")
	if err != nil {
		return kvs.Stats{}, fmt.Errorf("ask redis at %s for its counters: %w", n.peer.Addr, err)
	}
	s, err := parseStats(text, n.workers, n.endpoint.DB)
	if n.unreported != "" {
		s.Warnings = append(s.Warnings, n.unreported)
	}
	return s, err
}
