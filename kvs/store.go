package kvs

import (
	"context"

	"github.com/spf13/pflag"
)

// Store describes one store: how its servers are started and dialled, and what users read of it.
// Package stores has the table of all.
type Store struct {
	Name  string // in files, flags and points: "mica"
	Title string // in tables and figures: "MICA"

	// Study stands in for what a sweep or a load leaves open.
	Study StudyDefaults
	// MaxBatch is the most operations a batch.
	MaxBatch int
	// DefaultDevice is the verbs device that a server opens unless another is named. It is empty
	// for a store that needs none.
	DefaultDevice string
	// Protocols are those that a client may be told to speak. None: there is only one.
	// ProtocolHelp describes them for the flag --protocol.
	Protocols    []string
	ProtocolHelp string

	// Check refuses a load that the store cannot carry. nil: it carries every load that a batch
	// holds.
	Check func(*LoadConfig) error
	// Start starts a server that is large enough for the items of its configuration.
	Start func(*ServerConfig) (Server, error)
	// Dial connects a client to a server.
	Dial func(context.Context, *DialConfig) (Remote, error)
	// Attach takes a server that runs already for one of ours. nil: all servers are started here.
	Attach func(addr string) (Server, error)
	// Program finds the program that Start runs. nil: the server runs in this process.
	Program func() (string, error)

	// Command is the subcommand of "dpukv serve".
	Command Command
}

// Command is what "dpukv serve" shows of a store, and takes of it beside the flags of all stores.
type Command struct {
	// Short is one line, Long the rest of the help, Example its examples.
	Short, Long, Example string
	// Listen is the default address. ListenHelp and ThreadsHelp describe the flags --listen and
	// --threads.
	Listen, ListenHelp, ThreadsHelp string
	// Flags adds the store's own flags to the set. It returns what starts a server by them, once
	// they are parsed. nil: [Store.Start] does, with memory for items of --key-size and
	// --value-size.
	Flags func(*pflag.FlagSet) func(*ServerConfig) (Server, error)
}

// OverVerbs reports whether a verbs device carries the store's requests.
func (s *Store) OverVerbs() bool { return s.DefaultDevice != "" }

// HashesKeys reports whether the store's server wants hashes of its clients.
func (s *Store) HashesKeys() bool { return s.Study.Hash != NoHash }

// titles are the stores' titles, by name.
var titles = map[string]string{}

// RegisterTitle makes a store's title known to [TitleOf]. Package stores calls it for its table
// while the program is initialized; it is not safe for use after that.
func RegisterTitle(s *Store) { titles[s.Name] = s.Title }

// TitleOf is a store's name as its authors write it. A store that is not registered has its bare
// name: the result files of other builds may name it.
func TitleOf(name string) string {
	switch title, known := titles[name]; {
	case known:
		return title
	case name == "":
		return "(no store)"
	}
	return name
}
