package sweep

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dpukv/internal/numfmt"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/load/trace"
	"dpukv/probe"
)

// Config is one combination of a sweep's values: the configuration that a point measures.
type Config struct {
	// Of a probe, which has no store, no load and no threads of its own. Its placement is that of a
	// pair, or the name of a node.
	Measure  string // the kind; "": a store
	Settings probe.Settings

	Store, Placement, Submode string
	Filter                    string
	load.Load
	ServerThreads, ClientThreads int
	kvs.Setup
	Protocol  string
	Neighbour string // its kind; "": none
	Build     string // of dpukv; "": this one
	Duration  time.Duration
	Attach    string
	RateShare float64 // of the peak; 0: the rate does not follow from it

	taken string // keys of what the server attached to has, as the sweep asks for nothing else
}

// id names a point in files and to people. It spells out the keys that are usually swept. The
// digest covers the whole configuration, so another warm-up makes another point.
func (c *Config) id(repeat int) string {
	if c.IsProbe() {
		return c.probeID(repeat)
	}
	sum := sha256.Sum256(c.identity())
	parts := []string{
		c.Store, c.Placement, c.Submode,
		c.operations(),
		fmt.Sprintf("s%d-c%d", c.ServerThreads, c.ClientThreads),
	}
	if c.RateOps > 0 {
		parts = append(parts, "rate"+numfmt.Plain(c.RateOps))
	}
	parts = append(parts, hex.EncodeToString(sum[:4]), "r"+strconv.Itoa(repeat))
	return strings.Join(parts, "-")
}

// operations is the part of an ID that tells what the load does.
func (c *Config) operations() string {
	if c.Replays() {
		return "trace"
	}
	return "get" + numfmt.Plain(c.GetRatio)
}

// identity returns the input of an ID's digest: a JSON object of the keys' values, in the order of
// the table. Its bytes never change for a configuration that could be measured before.
func (c *Config) identity() []byte {
	text := []byte("{")
	for i := range sweepKeys {
		k := &sweepKeys[i]
		if k.identity == nil {
			continue
		}
		value := k.identity(c)
		if value == nil {
			continue
		}
		word, err := json.Marshal(value)
		if err != nil {
			panic(err) // numbers and words
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "%q:%s", k.idName, word)
	}
	return append(text, '}')
}

// Describe describes the configuration in a few words, for the user who watches.
func (c *Config) Describe() string {
	if c.IsProbe() {
		return c.describeProbe()
	}
	loop, does := "closed loop", fmt.Sprintf("%g %% GET", c.GetRatio*100)
	if c.RateOps > 0 {
		loop = numfmt.Plain(c.RateOps) + " ops/s"
	}
	if c.Replays() {
		does = "trace " + filepath.Base(c.Trace)
		if c.TraceSpeed > 0 {
			loop = load.FieldOf("trace_speed").Shown(&c.Load)
		}
	}
	if c.Neighbour != "" {
		loop += ", neighbour " + c.Neighbour
	}
	if c.ServerWait != "" {
		loop += ", polling server"
	}
	if c.ClientWait != "" {
		loop += ", polling clients"
	}
	if c.Build != "" {
		loop += ", build " + c.Build
	}
	if c.Attach != "" {
		return fmt.Sprintf("%s at %s, %s, %d client threads, %s",
			c.Store, c.Attach, does, c.ClientThreads, loop)
	}
	return fmt.Sprintf("%s %s %s, %d server and %d client threads, %s",
		c.Store, c.Placement, does, c.ServerThreads, c.ClientThreads, loop)
}

// Threads returns the number of threads of one end; 0: as many as it has CPUs.
func (c *Config) Threads(server bool) int {
	if c.IsProbe() {
		return c.Probe().Threads(c.Settings, server)
	}
	if server {
		return c.ServerThreads
	}
	return c.ClientThreads
}

// expectedOps is the assumed throughput of a closed loop, in operations a second.
const expectedOps = 1e6

// Period returns the expected length of the measurement period.
func (c *Config) Period() time.Duration {
	if c.IsProbe() {
		return max(c.Probe().Expect(c.Settings, c.Warmup, c.Duration)-c.Warmup, 0)
	}
	if c.Requests == 0 {
		return max(c.Duration, c.restOfTrace())
	}
	rate := c.RateOps
	if rate == 0 {
		rate = expectedOps
	}
	return lasts(float64(c.Requests) / rate)
}

func lasts(seconds float64) time.Duration {
	return time.Duration(min(seconds, maxSpan.Seconds()) * float64(time.Second))
}

// restOfTrace returns the expected time of a whole trace after its warm-up. It is 0 if this machine
// cannot read the trace.
func (c *Config) restOfTrace() time.Duration {
	if !c.Replays() || c.Duration > 0 {
		return 0
	}
	f, err := trace.Open(c.Trace)
	if err != nil {
		return 0
	}
	defer f.Close()
	from, to := c.TraceBounds()
	firstNs, lastNs, err := f.Span(from, to)
	if err != nil {
		return 0
	}
	all := lasts(time.Duration(lastNs-firstNs).Seconds() / c.TraceSpeed)
	if c.TraceSpeed == 0 {
		all = lasts(float64(cmp.Or(to, f.Summary().Operations)-from) /
			float64(max(c.TraceSample, 1)) / expectedOps)
	}
	return max(all-c.Warmup, 0)
}
