package load

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"dpukv/hashbench"
	"dpukv/internal/field"
	"dpukv/kvs"
)

// Load describes a load: the operations, and how they are offered. The JSON names are those of a
// point's fields. Each field has a row in the table of [Fields].
type Load struct {
	Workload
	Batch  int `json:"batch"`  // operations in a batch
	Window int `json:"window"` // batches in flight on each connection
	// connections from each client thread to each server worker
	Connections int     `json:"connections"`
	RateOps     float64 `json:"rate_ops"` // operations offered a second; 0: closed loop
	// Arrivals is the spacing of the batches in an open loop: "poisson" or "etc"; absent for equal
	// distances, and in a closed loop.
	Arrivals string `json:"arrivals,omitempty"`
	// Requests ends the measurement after so many operations; absent: after its duration.
	Requests int `json:"requests,omitempty"`
	// ReconnectEvery is the number of operations after which a client thread opens its connections
	// anew; absent: never.
	ReconnectEvery int `json:"reconnect_every,omitempty"`
	// OnMiss says what a GET that misses its key means: see [RefuseMisses]; absent: too many fail
	// the run.
	OnMiss string `json:"on_miss,omitempty"`
	// FillDelay is the time from a miss to the SET that fills it. It stands for the database behind
	// a cache; absent: none.
	FillDelay time.Duration `json:"fill_delay_ns,omitempty"`
	// Compute is the work that a client thread does after each batch that it sends, before it looks
	// for answers: the time that this work takes alone; absent: none.
	Compute time.Duration `json:"compute_ns,omitempty"`
	// ClientWait is how a client thread waits for answers: "poll", or absent: it sleeps, or waits
	// in the store's own way.
	ClientWait string `json:"client_wait,omitempty"`
	Hash       string `json:"hash"` // hash function of the client for keys, or "none"
	// Warmup is the time under load before the measurement period.
	Warmup time.Duration `json:"warmup_ns"`
}

// Workload describes the operations and their keys.
type Workload struct {
	// Mix names a load that others have described, which this one was asked for by. Fields given
	// beside it may differ from the description.
	Mix string `json:"mix,omitempty"`
	// Trace is the file that the operations come from. It decides what else a workload has, and
	// those fields are zero. Absent: there is none.
	Trace string `json:"trace,omitempty"`
	// TraceSpeed is the factor by which a trace is faster than recorded; absent: each operation
	// follows as soon as it can.
	TraceSpeed float64 `json:"trace_speed,omitempty"`
	// TraceSample takes one of so many keys, with all its operations; absent: all keys.
	TraceSample int `json:"trace_sample,omitempty"`
	// TraceRange is the range of operations, such as "1000-2000"; absent: the whole trace.
	TraceRange string  `json:"trace_range,omitempty"`
	GetRatio   float64 `json:"get_ratio"` // share of GETs; all others are SETs
	// SetAfter tells what a SET waits for: "get", the answer to a GET of its key; absent: nothing.
	SetAfter string `json:"set_after,omitempty"`
	Dist     Dist   `json:"dist"` // distribution of the keys, such as "zipf:0.99"
	Keys     int    `json:"keys"` // different keys, all preloaded
	// KeyBytes is the size of a key; the rounded mean of KeySizes.
	KeyBytes int `json:"key_bytes"`
	// KeySizes is the distribution of the sizes of keys. It is absent if all keys have one size.
	KeySizes Sizes `json:"key_sizes,omitempty"`
	// KeyPrefix is the text that all keys begin with, within KeyBytes.
	KeyPrefix  string `json:"key_prefix,omitempty"`
	ValueBytes int    `json:"value_bytes"` // size of a value; the rounded mean of ValueSizes
	// ValueSizes is the distribution of the sizes of values, such as "32:90+1024:10". It is absent
	// if all values have one size.
	ValueSizes Sizes `json:"value_sizes,omitempty"`
	// ValueSizeBy tells what decides the size of a value: "key", if all values of a key have one
	// size; absent: each SET draws.
	ValueSizeBy string `json:"value_size_by,omitempty"`
	// TTL is the time after which an item expires that a SET stored; 0: never.
	TTL time.Duration `json:"ttl_ns,omitempty"`
	// Seed determines the sequence of operations of each thread.
	Seed uint64 `json:"seed"`
}

// The values of Load.Arrivals.
const (
	Constant = ""        // at equal distances
	Poisson  = "poisson" // independently of each other
	// Bursts are gaps by the generalized Pareto distribution of ETC, independent of each other.
	Bursts = etc

	constantText = "constant"
)

// The values of Workload.SetAfter.
const (
	SetAtOnce   = ""    // nothing
	SetAfterGet = "get" // read-modify-write
)

// The values of Workload.ValueSizeBy.
const (
	BySet = ""    // each SET draws the size
	ByKey = "key" // all values of a key have one size

	bySetText = "set"
)

// maxRandomBatches bounds the batches per second with drawn gaps. Each batch costs the client some
// nanoseconds, and a thread that falls behind its schedule could not catch up.
const maxRandomBatches = 2e7

// MaxRateOps is the highest rate that a load may offer, in operations per second.
const MaxRateOps = 1e12

const (
	maxKeys     = 1 << 32
	maxRequests = 1 << 40
)

// fields has one row for each field of a [Load], in the order of sweep files and of point IDs. A
// new field is a struct field and a row here.
var fields = []Field{
	mix(Field{
		Name: "mix", Key: "mix", ID: "Mix", Optional: true, Title: "mix", Label: "mix %s",
		Help: "A load that others have described, by its name. It stands for several keys; those " +
			"given beside it count instead of its own. See docs/tasks/shape-the-load.md.",
		Example: "[etc, ycsb-a]",
	}),
	field.Of(Field{
		Name: "trace", Key: "trace", ID: "Trace", Optional: true, Title: "trace", Label: "trace %s",
		Help: "File that the operations come from, on the node of each client and of the sweep. " +
			"It decides operations, keys and sizes. See docs/tasks/shape-the-load.md.",
		Example: "small.trace",
	}, func(l *Load) *string { return &l.Trace }, traceFile()),
	traceSpeed(Field{
		Name: "trace_speed", Key: "trace_speed", ID: "TraceSpeed", Optional: true,
		Title: "trace speed", Label: "%s",
		Help: "Factor by which a trace is faster than recorded. With 0, each operation follows " +
			"as soon as it can.",
		Default: "1 with a trace",
		Example: "[1, 4, 0]",
	}),
	field.Of(Field{
		Name: "trace_sample", Key: "trace_sample", ID: "TraceSample", Optional: true,
		Title: "trace sample", Label: "%s of its keys",
		Help:    "Share of a trace's keys, each with all its operations.",
		Example: "1/64",
	}, func(l *Load) *int { return &l.TraceSample }, traceSample()),
	field.Of(Field{
		Name: "trace_range", Key: "trace_range", ID: "TraceRange", Optional: true,
		Title: "trace range", Label: "operations %s",
		Help:    "Range of a trace's operations.",
		Example: "0-1000000",
	}, func(l *Load) *string { return &l.TraceRange }, traceRange()),
	decimal(Field{
		Name: "get_ratio", Key: "get_ratio", ID: "GetRatio", Title: "GET %", Label: "%s %% GET",
		Allowed: "a share from 0 to 1, such as 0.95",
		Help:    "Share of GET operations. All other operations are SETs.",
		Example: "[1, 0.95, 0.5]",
	}, 1, percent, func(l *Load) *float64 { return &l.GetRatio }),
	word(Field{
		Name: "set_after", Key: "set_after", ID: "SetAfter", Optional: true,
		Title: "set after", Label: "SETs after a %s of their key",
		Help: "What a SET waits for: nothing (none), or the answer to a GET of its key " +
			"(read-modify-write).",
		Example: "[none, get]",
	}, func(l *Load) *string { return &l.SetAfter }, none, SetAfterGet),
	field.Of(Field{
		Name: "dist", Key: "dist", ID: "Dist", Title: "dist", Label: "%s",
		Help:    "Distribution of the keys that operations ask for.",
		Example: "[uniform, zipf:0.99]",
	}, func(l *Load) *Dist { return &l.Dist }, field.Codec[Dist]{
		Parse: ParseDist, Format: func(d Dist) string { return string(d) }, Allowed: DistAllowed,
	}),
	whole(Field{
		Name: "keys", Key: "keys", ID: "Keys", Title: "keys", Noun: "key",
		Help:    "Number of different keys. The client stores all of them before the load.",
		Example: "10000000",
	}, 1, maxKeys, func(l *Load) *int { return &l.Keys }),
	sized(Field{
		Name: "key_bytes", Key: "key_bytes", ID: "KeyBytes",
		Title: "key bytes", Label: "%s B keys",
		Help: "Size of a key, in bytes: a number, or a distribution, by which the key's number " +
			"decides. `file:PATH` reads a file with a line for each size and its weight.",
		Example: "[16, 16-40, 16:90+40:10]",
	}, &SizesOfKeys, func(l *Load) (*int, *Sizes) { return &l.KeyBytes, &l.KeySizes }),
	field.Of(Field{
		Name: "key_prefix", Key: "key_prefix", ID: "KeyPrefix", Optional: true,
		Title: "key prefix", Label: "keys %s…",
		Help: "Text that all keys begin with, as a part of key_bytes. It tells the load's keys " +
			"from those of others on a server that runs already.",
		Example: `"dpukv:"`,
	}, func(l *Load) *string { return &l.KeyPrefix }, keyPrefix()),
	sized(Field{
		Name: "value_bytes", Key: "value_bytes", ID: "ValueBytes",
		Title: "value bytes", Label: "%s B values",
		Help: "Size of a value, in bytes: a number, or a distribution from which each SET draws. " +
			"`file:PATH` reads a file with a line for each size and its weight.",
		Example: "[32, 32-1024, 32:90+1024:10]",
	}, &SizesOfValues, func(l *Load) (*int, *Sizes) { return &l.ValueBytes, &l.ValueSizes }),
	word(Field{
		Name: "value_size_by", Key: "value_size_by", ID: "ValueSizeBy", Optional: true,
		Title: "value size by", Label: "value sizes by %s",
		Help: "What decides the size of a value, where value_bytes is a distribution: each SET " +
			"draws it, or the key decides it for all its values.",
		Example: "[set, key]",
	}, func(l *Load) *string { return &l.ValueSizeBy }, bySetText, ByKey),
	whole(Field{
		Name: "batch", Key: "batch", ID: "Batch", Title: "batch", Label: "batch %s",
		Help:    "Operations in a batch. A client sends a batch as one unit.",
		Example: "[1, 16, 64]",
	}, 1, 1<<16, func(l *Load) *int { return &l.Batch }),
	whole(Field{
		Name: "window", Key: "window", ID: "Window", Title: "window", Label: "window %s",
		Help:    "Batches in flight on each connection.",
		Example: "[1, 4]",
	}, 1, 1<<16, func(l *Load) *int { return &l.Window }),
	whole(Field{
		Name: "connections", Key: "connections", ID: "Connections",
		Title: "connections", Noun: "connection",
		Help:    "Connections from each client thread to each server worker.",
		Example: "[1, 4]",
	}, 1, 1<<10, func(l *Load) *int { return &l.Connections }),
	decimal(Field{
		Name: "rate_ops", Key: "rate", ID: "RateOps",
		Title: "offered Mops", Label: "%s Mops offered",
		Allowed: fmt.Sprintf("operations a second up to %g, 0 for a closed loop", MaxRateOps),
		Help:    "Operations offered per second, over all clients and threads. 0 is a closed loop.",
		Example: "[0, 1e6]",
	}, MaxRateOps, mega, func(l *Load) *float64 { return &l.RateOps }),
	arrivals(Field{
		Name: "arrivals", Key: "arrivals", ID: "Arrivals", Optional: true,
		Title: "arrivals", Label: "%s arrivals",
		Help: "Spacing of the batches in an open loop: a Poisson process, equal distances, or " +
			"for each thread the gaps of Facebook's ETC. A closed loop has none.",
		Default: "poisson in an open loop",
		Example: "[poisson, constant, etc]",
	}),
	whole(Field{
		Name: "requests", Key: "requests", ID: "Requests", Optional: true,
		Title: "requests", Noun: "request",
		Help: "Operations after which the measurement ends, over all clients and threads, " +
			"instead of duration. With 0, it ends after duration.",
		Example: "1000000",
	}, 0, maxRequests, func(l *Load) *int { return &l.Requests }),
	whole(Field{
		Name: "reconnect_every", Key: "reconnect_every", ID: "ReconnectEvery", Optional: true,
		Title: "reconnect every", Label: "reconnects every %s operations",
		Help: "Operations after which a client thread closes its connections and opens them " +
			"anew, over TCP. With 0, connections stay open.",
		Example: "[0, 1000]",
	}, 0, maxRequests, func(l *Load) *int { return &l.ReconnectEvery }),
	word(Field{
		Name: "on_miss", Key: "on_miss", ID: "OnMiss", Optional: true,
		Title: "on a miss", Label: "on a miss: %s",
		Help: "What GETs that miss their key mean: too many fail the point (refuse), the hit " +
			"rate is a result (allow), or the client also stores the key after each miss (fill).",
		Example: "[allow, fill]",
	}, func(l *Load) *string { return &l.OnMiss }, refuseText, AllowMisses, FillMisses),
	delay(Field{
		Name: "fill_delay_ns", Key: "fill_delay", ID: "FillDelay", Optional: true,
		Title: "fill delay", Label: "fills after %s",
		Help: "Time from a miss to the SET that fills it, with on_miss fill. It stands for the " +
			"database behind a cache.",
		Example: "[0s, 1ms]",
	}, MaxFillDelay, "1ms", func(l *Load) *time.Duration { return &l.FillDelay }),
	compute(Field{
		Name: "compute_ns", Key: "compute", ID: "Compute", Optional: true,
		Title: "compute µs", Label: "%s µs of compute a batch",
		Help: "Work that a client thread does after each batch that it sends, before it looks " +
			"for answers, as the time that the work takes alone. With 0s, it looks at once.",
		Example: "[0s, 5us]",
	}),
	word(Field{
		Name: "client_wait", Key: "client_wait", ID: "ClientWait", Optional: true,
		Of: kvs.OfClients, Title: "client wait", Label: "%sing clients",
		Help: "How client threads wait for answers, of stores over sockets: they sleep, or they " +
			"poll, which takes all time of their CPUs. See docs/METHOD.md.",
		Example: "[sleep, poll]",
	}, func(l *Load) *string { return &l.ClientWait }, kvs.WaitSleep, kvs.WaitPoll),
	field.Of(Field{
		Name: "ttl_ns", Key: "ttl", ID: "TTL", Optional: true, Title: "TTL", Label: "TTL %s",
		Help:    "Time after which an item expires that a SET stored, for stores with expiry.",
		Example: "60s",
	}, func(l *Load) *time.Duration { return &l.TTL }, ttl()),
	hash(Field{
		Name: "hash", Key: "hash", ID: "Hash", Title: "hash", Label: "%s",
		Help:    "Hash function that clients apply to keys. With none, clients hash no keys.",
		Example: "[city64, xxh64]",
	}),
	field.Of(Field{Name: "warmup_ns", ID: "Warmup"},
		func(l *Load) *time.Duration { return &l.Warmup },
		field.Span(0, math.MaxInt64).As("0 or more")),
	field.Of(Field{Name: "seed", ID: "Seed"}, func(l *Load) *uint64 { return &l.Seed },
		field.Unsigned(64, "a whole number of 64 bits")),
}

// OpenLoop reports whether the load follows its own schedule.
func (l *Load) OpenLoop() bool { return l.RateOps > 0 || l.TraceSpeed > 0 }

// Validate reports the first field that is out of its range, or that contradicts another field.
func (l *Load) Validate() error {
	for i := range fields {
		if l.TraceDecides(fields[i].Key) {
			continue
		}
		if err := fields[i].Check(l); err != nil {
			return err
		}
	}
	if err := cmp.Or(l.validateTrace(), l.validateMisses()); err != nil || l.Replays() {
		return err
	}
	return cmp.Or(l.validateSizes(), l.validateArrivals(), l.validateSetAfter(), l.validateKeys())
}

// validateSizes refuses a size that is not the mean of the distribution beside it.
func (l *Load) validateSizes() error {
	for i := range fields {
		f := &fields[i]
		kind := SizesFor(f)
		if kind == nil {
			continue
		}
		mean, sizes, err := kind.Parse(f.Format(l))
		if err != nil || float64(mean) != f.Num(l) {
			return l.refuse(f.Name, fmt.Sprintf("%s: found %v with %s_sizes %s, allowed: its "+
				"mean, %d", f.Name, f.Num(l), kind.what, string(sizes), mean))
		}
	}
	return nil
}

// validateKeys refuses keys that are too short for their number.
func (l *Load) validateKeys() error {
	if l.KeyPrefix == none {
		return l.refuse("key_prefix", "key_prefix: found the word none as a prefix, allowed: "+
			"another text; leave it out for no prefix")
	}
	least, found := l.MinKeyBytes(), "key_bytes "+l.KeySizes.Text(l.KeyBytes)
	if l.KeySizes != "" {
		found = fmt.Sprintf("keys of %d to %d bytes", least, l.MaxKeyBytes())
	}
	room := least - len(l.KeyPrefix)
	if room < 1 {
		return l.refuse("key_prefix", fmt.Sprintf("key_prefix: found %d bytes with %s, allowed: "+
			"fewer than the shortest key has, as the key's number follows; ask for longer keys",
			len(l.KeyPrefix), found))
	}
	if room < 8 && uint64(l.Keys) > 1<<(8*room) {
		return l.refuse("keys", fmt.Sprintf("keys: found %d; %s%s allows only %d "+
			"different keys: ask for longer keys, or for "+
			"fewer", l.Keys, found, l.withPrefix(), 1<<(8*room)))
	}
	return nil
}

func (l *Load) withPrefix() string {
	if l.KeyPrefix == "" {
		return ""
	}
	return " with key_prefix " + l.KeyPrefix
}

func (l *Load) validateArrivals() error {
	if l.Arrivals == Constant {
		return nil
	}
	if !l.OpenLoop() {
		return l.refuse("arrivals", fmt.Sprintf("arrivals: found %s with rate 0; a closed loop "+
			"has no schedule: give a rate, or leave arrivals out", l.Arrivals))
	}
	if batches := l.RateOps / float64(l.Batch); batches > maxRandomBatches {
		return l.refuse("rate_ops", fmt.Sprintf("rate: found %v in batches of %d, allowed "+
			"with arrivals %s: %g batches a second", l.RateOps, l.Batch, l.Arrivals,
			maxRandomBatches))
	}
	return nil
}

// FieldError reports a field whose value contradicts another field's.
type FieldError struct {
	Field Field
	Text  string // of the value
	says  string
}

func (e *FieldError) Error() string { return e.says }

// refuse makes the error of the named field.
func (l *Load) refuse(name, says string) error {
	f := FieldOf(name)
	return &FieldError{*f, f.Text(l), says}
}

// FieldOf returns the field with a name.
func FieldOf(name string) *Field {
	return &fields[slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })]
}

// Fields returns the table of all fields.
func Fields() []Field { return slices.Clone(fields) }

// Axes returns the fields that may have several values in a sweep file, in their order.
func Axes() []Field {
	return slices.DeleteFunc(Fields(), func(f Field) bool { return f.Key == "" })
}

// DefaultArrivals returns the arrivals of a load that does not choose them. Requests of independent
// users arrive as a Poisson process. Equal distances would hide the queues that those find.
func (l *Load) DefaultArrivals() string {
	if l.RateOps > 0 {
		return Poisson
	}
	return Constant
}

// arrivals completes the row of Load.Arrivals.
func arrivals(f Field) Field {
	f = word(f, func(l *Load) *string { return &l.Arrivals }, constantText, Poisson, Bursts)
	f.SetTo = func(l *Load) { l.Arrivals = l.DefaultArrivals() }
	return f
}

// sized completes the row of sizes, which are two fields of the load. A distribution stands in IDs
// as its text, and a single size as a number.
func sized(f Field, kind *SizesOf, of func(*Load) (*int, *Sizes)) Field {
	f.Numeric, f.InWords, f.Allowed = true, true, kind.Allowed()
	f.Word = func(l *Load) string { return wordOfSizes(&f, l) }
	f.Get = func(l *Load) any {
		one, sizes := of(l)
		if *sizes != "" {
			return *sizes
		}
		return *one
	}
	f.Copy = func(to, from *Load) {
		one, sizes := of(to)
		oneThere, sizesThere := of(from)
		*one, *sizes = *oneThere, *sizesThere
	}
	f.Format = func(l *Load) string { one, sizes := of(l); return sizes.Text(*one) }
	f.Show = func(l *Load) string { return Sizes(f.Format(l)).String() }
	f.Num = func(l *Load) float64 { one, _ := of(l); return float64(*one) }
	f.Parse = func(l *Load, text string) error {
		mean, sizes, err := kind.Parse(text)
		if err == nil {
			one, several := of(l)
			*one, *several = mean, sizes
		}
		return err
	}
	return f
}

// wordOfSizes is a value in words: sizes with a name have no unit.
func wordOfSizes(f *Field, l *Load) string {
	if f.Format(l) != etc {
		return ""
	}
	return fmt.Sprintf(strings.Replace(f.Label, "%s B", "%s's sizes of", 1), "ETC")
}

// SizesFor says which sizes a field of sizes allows; nil: it has none. Its values may name files:
// see [SizesFile].
func SizesFor(f *Field) *SizesOf {
	switch f.Name {
	case "key_bytes":
		return &SizesOfKeys
	case "value_bytes":
		return &SizesOfValues
	}
	return nil
}

// validateSetAfter refuses more SETs than GETs that they could wait for, and the distribution by
// which the SETs choose their keys.
func (l *Load) validateSetAfter() error {
	switch {
	case l.SetAfter == SetAtOnce:
	case l.GetRatio < 0.5:
		return l.refuse("get_ratio", fmt.Sprintf("get_ratio: found %v with set_after get, "+
			"allowed: 0.5 to 1; each SET waits for a GET of its own", l.GetRatio))
	case strings.HasPrefix(string(l.Dist), "latest"):
		return l.refuse("dist", fmt.Sprintf("dist: found %s with set_after get, allowed: another "+
			"one; with latest, GETs follow the SETs", l.Dist))
	}
	return nil
}

// hash completes the row of the hash function.
func hash(f Field) Field {
	f = field.Of(f, func(l *Load) *string { return &l.Hash },
		field.Word(append(hashbench.Names(), kvs.NoHash)))
	f.Show = func(l *Load) string {
		if l.Hash == kvs.NoHash {
			return "no hash" // "none" would not say of what
		}
		return l.Hash
	}
	return f
}
