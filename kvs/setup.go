package kvs

import (
	"cmp"
	"slices"
	"strings"

	"dpukv/internal/field"
	"dpukv/internal/numfmt"
)

// Setup is how a server is set up, beside its size. The JSON names are those of a point's fields. A
// new option is a field and a row in the table of [SetupFields]: from it follow the key of sweep
// files, the point's field and dimension, who may have it, and the check of the used value.
type Setup struct {
	// EngineThreads are the threads of the engine of a split server. server_threads are those of
	// its store half.
	EngineThreads int `json:"engine_threads,omitempty"`
	// Answers is the way of messages out of the memory of a half: "read" (the other half fetches
	// them) or "write" (it writes them). It is absent if nothing is split.
	Answers string `json:"answers,omitempty"`
	// Wait is how threads of halves wait for messages: "poll", or "nap" (they sleep for 50 to
	// 100 µs at a time). It is absent if nothing is split.
	Wait string `json:"wait,omitempty"`
	// ServerWait is how the workers of a whole server wait for requests: "poll", or absent: they
	// sleep, or wait in the store's own way.
	ServerWait string `json:"server_wait,omitempty"`
	// Neighbourhood are the places of a key that one READ covers, of a store whose clients read
	// items.
	Neighbourhood int `json:"neighbourhood,omitempty"`
	// Inline tells whether the items of such a store hold small values: "yes" or "no".
	Inline string `json:"inline,omitempty"`
	// ReadCheck is how its clients check what READs bring: "checksum", or "none".
	ReadCheck string `json:"validate,omitempty"`
	// MemoryBytes is the memory of the server for items. It is absent if all keys had room.
	MemoryBytes int64  `json:"memory_bytes,omitempty"`
	Mode        string `json:"mode"`   // mode of the store: "cache" or "store"
	Access      string `json:"access"` // access to partitions: "erew", "crew" or "crcw"
}

// These have fields that others lack: see [field.Field.Of].
const (
	OfLanes   = "a half"                           // lanes join it to another
	OfEngine  = "an engine"                        // a server in halves
	OfReads   = "a store whose clients read items" // see [Store.Reads]
	OfWorkers = "workers that may poll"            // see [Waits]
	OfClients = "clients that may poll"
)

// SetupField is a row of the table.
type SetupField = field.Field[Setup]

// maxEngineThreads is the highest number that a sweep file may have.
const maxEngineThreads = 1024

var setupFields = []SetupField{
	field.Of(SetupField{
		Name: "mode", Key: "mode", ID: "Mode", Own: true, Title: "mode", Label: "%s mode",
		Help:    "Behaviour of a full store: cache evicts items, store refuses writes.",
		Example: "[cache, store]",
	}, func(s *Setup) *string { return &s.Mode }, field.Word([]string{"cache", "store"})),
	field.Numbers(SetupField{
		Name: "memory_bytes", Key: "memory", ID: "Memory", Optional: true, Untold: true,
		Title: "memory", Label: "%s of memory",
		Help: "Memory of the server for items. With less than all keys need, mode cache evicts: " +
			"see the key on_miss. With auto, all keys have room.",
		Example: "[auto, 64MiB]",
	}, func(s *Setup) *int64 { return &s.MemoryBytes }, memory()),
	access(SetupField{
		Name: "access", Key: "access", ID: "Access", Title: "access", Label: "%s",
		Help: "Access of server threads to partitions: exclusive (e) or concurrent (c), for " +
			"reads (r) and writes (w).",
		Example: "[erew, crew]",
	}),
	field.Numbers(SetupField{
		Name: "engine_threads", Key: "engine_threads", ID: "EngineThreads", Optional: true,
		Of: OfEngine, Title: "engine threads", Noun: "engine thread",
		Help: "Threads of the engine of a split server, a multiple of server_threads. See " +
			"docs/tasks/placements.md.",
		Example: "[1, 2]",
	}, func(s *Setup) *int { return &s.EngineThreads },
		field.Or("server_threads", field.Whole(1, maxEngineThreads))),
	usual(SetupField{
		Name: "answers", Key: "answers", ID: "Answers", Optional: true, Of: OfLanes,
		Title: "answers", Label: "answers by %s",
		Help: "Way of the answers of a store half, and of the requests to a proxy: fetched by " +
			"READ, or written by WRITE.",
		Example: "[read, write]",
	}, "read", "write", func(s *Setup) *string { return &s.Answers }),
	usual(SetupField{
		Name: "wait", Key: "wait", ID: "Wait", Optional: true, Of: OfLanes,
		Title: "wait", Label: "waits: %s",
		Help: "How threads of halves wait for messages: they poll, or they sleep for 50 to 100 " +
			"µs at a time (nap). A whole server has server_wait.",
		Example: "[poll, nap]",
	}, "poll", "nap", func(s *Setup) *string { return &s.Wait }),
	usual(SetupField{
		Name: "server_wait", Key: "server_wait", ID: "ServerWait", Optional: true, Of: OfWorkers,
		Own: true, Title: "server wait", Label: "%sing server",
		Help: "How the workers of a whole server wait for requests, of a store that has the " +
			"choice: they sleep, or they poll, which takes all time of their CPUs. See " +
			"docs/METHOD.md.",
		Example: "[sleep, poll]",
	}, WaitSleep, WaitPoll, func(s *Setup) *string { return &s.ServerWait }),
	field.Numbers(SetupField{
		Name: "neighbourhood", Key: "neighbourhood", ID: "Neighbourhood", Optional: true,
		Of: OfReads, Unset: true, Title: "neighbourhood", Noun: "place of a key",
		Help: "Places of a key that one READ covers, of a store whose clients read items. See " +
			"docs/tasks/designs.md.",
		Example: "[4, 8]",
	}, func(s *Setup) *int { return &s.Neighbourhood },
		field.Or("auto", field.Whole(MinNeighbourhood, MaxNeighbourhood))),
	usual(SetupField{
		Name: "inline", Key: "inline", ID: "Inline", Optional: true, Of: OfReads,
		Title: "inline", Label: "values in items: %s",
		Help: "Whether items hold values of up to 32 bytes, of a store whose clients read items. " +
			"Else each value takes a second READ.",
		Example: "[yes, no]",
	}, InlineYes, InlineNo, func(s *Setup) *string { return &s.Inline }),
	usual(SetupField{
		Name: "validate", Key: "validate", ID: "Validate", Optional: true, Of: OfReads,
		Title: "validate", Label: "READs checked by: %s",
		Help: "How clients check what READs bring, of a store whose clients read items. With " +
			"none, a GET can return a value that nobody wrote: it shows the check's price.",
		Example: "[checksum, none]",
	}, ByChecksum, Unchecked, func(s *Setup) *string { return &s.ReadCheck }),
}

// SetupFields returns the table, in the order of sweep files and of point IDs.
func SetupFields() []SetupField { return slices.Clone(setupFields) }

// CheckSetup refuses values that no server has. Zero values are left to the server.
func (s *Setup) CheckSetup() error {
	for i := range setupFields {
		f := &setupFields[i]
		if f.IsZero(s) {
			continue
		}
		if err := cmp.Or(CheckTexts([]string{f.Text(s)}), f.Check(s)); err != nil {
			return err
		}
	}
	return nil
}

// usual completes the row of two words, of which the usual one is "".
func usual(f SetupField, word, other string, at func(*Setup) *string) SetupField {
	return field.Of(f, at, field.Or(word, field.Word([]string{other})).As(word+" or "+other))
}

func access(f SetupField) SetupField {
	at := func(s *Setup) *string { return &s.Access }
	f = field.Of(f, at, field.Word([]string{"erew", "crew", "crcw"}))
	f.Show = func(s *Setup) string { return strings.ToUpper(s.Access) }
	return f
}

const bytesPerMiB = 1 << 20

// memory is the codec of whole MiB, as memcached has them.
func memory() field.Codec[int64] {
	return field.Or("auto", field.Codec[int64]{
		Parse: func(text string) (int64, error) {
			var size numfmt.Size
			if err := size.Set(text); err != nil || size%bytesPerMiB != 0 {
				return 0, field.ErrNotAllowed
			}
			return int64(size), nil
		},
		Format: func(n int64) string { return numfmt.Size(n).String() },
	}).As("a size in whole MiB, such as 64MiB or 4GiB, or auto")
}
