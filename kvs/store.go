package kvs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Store describes one store: how to start its servers, how to dial them, and what users read about
// it. Package stores has the table of all stores.
type Store struct {
	Name  string // in files, flags and points: "mica"
	Title string // in tables and figures: "MICA"

	// Study has the defaults for the settings that a sweep or a load leaves open.
	Study StudyDefaults
	// MaxBatch is the maximum number of operations per batch.
	MaxBatch int
	// DefaultDevice is the verbs device that a server opens by default. It is empty for a store
	// without verbs.
	DefaultDevice string
	// Protocols are the protocols that a client can choose from. None: there is only one.
	// ProtocolHelp describes them for the flag --protocol.
	Protocols    []string
	ProtocolHelp string

	// Check refuses a load that the store does not support. nil: the store supports every load
	// within MaxBatch.
	Check func(*LoadConfig) error
	// TTLUnit is the unit of the times after which items expire. 0: items do not expire.
	TTLUnit time.Duration
	// Start starts a server with room for the configured items.
	Start func(*ServerConfig) (Server, error)
	// Ports returns the number of TCP ports that a server with so many workers listens on. nil: it
	// listens on one.
	Ports func(workers int) int
	// Dial connects a client to a server.
	Dial func(context.Context, *DialConfig) (Remote, error)
	// Attach returns a [Server] for a server that runs already. nil: dpukv starts all servers of
	// this store.
	Attach func(*DialConfig) (Server, error)
	// Waits tell which ends can be asked to poll. Others wait in the store's own way.
	Waits Waits
	// Halves start the parts of a split server or client. nil: the store cannot be split.
	Halves *Halves
	// Endpoints say how a user names a server that runs already.
	Endpoints EndpointRules
	// Reads tells that clients read items by themselves: see [ReadFacts].
	Reads bool
	// Program finds the program that Start runs. nil: the server runs in this process.
	Program func() (string, error)

	// Command is the subcommand of "dpukv serve".
	Command Command
}

// Command describes a store's subcommand of "dpukv serve": its help, and its flags beside those of
// all stores.
type Command struct {
	// Short is one line of help, Long is the rest, Example has examples.
	Short, Long, Example string
	// Listen is the default address. ListenHelp and ThreadsHelp describe the flags --listen and
	// --server-threads.
	Listen, ListenHelp, ThreadsHelp string
	// Flags adds the store's own flags to the set. It returns a function that starts a server by
	// these flags, once they are parsed. nil: [Store.Start] does, with memory for items of
	// --key-bytes and --value-bytes.
	Flags func(*pflag.FlagSet) func(*ServerConfig) (Server, error)
}

// ProtocolOf returns the one of the store's protocols that a server's facts name, such as "mget" in
// "resp3+mget". It is the first one if they name none.
func (s *Store) ProtocolOf(told string) string {
	for part := range strings.SplitSeq(told, "+") {
		if slices.Contains(s.Protocols, part) {
			return part
		}
	}
	if len(s.Protocols) == 0 {
		return told
	}
	return s.Protocols[0]
}

// CheckTTL refuses a time to live that the store's items cannot have.
func (s *Store) CheckTTL(ttl time.Duration) error {
	switch {
	case ttl == 0:
		return nil
	case s.TTLUnit == 0:
		return fmt.Errorf("ttl: found %v with %s, whose items do not expire, allowed: none", ttl,
			s.Name)
	case ttl%s.TTLUnit != 0:
		return fmt.Errorf("ttl: found %v with %s, allowed: a multiple of %v", ttl, s.Name,
			s.TTLUnit)
	}
	return nil
}

// PortsOf returns the number of TCP ports of a server with so many workers.
func (s *Store) PortsOf(workers int) int {
	if s.Ports == nil {
		return 1
	}
	return s.Ports(workers)
}

// OverVerbs reports whether a verbs device carries the store's requests.
func (s *Store) OverVerbs() bool { return s.DefaultDevice != "" }

// HashesKeys reports whether the store's server uses client-side hashes.
func (s *Store) HashesKeys() bool { return s.Study.Hash != NoHash }

// titles maps stores' names to their titles.
var titles = map[string]string{}

// RegisterTitle makes a store's title known to [TitleOf]. Package stores calls it for its table
// during program initialization. It is not safe for later use.
func RegisterTitle(s *Store) { titles[s.Name] = s.Title }

// TitleOf returns a store's name as its authors write it. It returns an unregistered name
// unchanged, since result files of other builds may contain it.
func TitleOf(name string) string {
	switch title, known := titles[name]; {
	case known:
		return title
	case name == "":
		return "(no store)"
	}
	return name
}
