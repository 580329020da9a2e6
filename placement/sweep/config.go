package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dpukv/load"
)

// Config is one combination of a sweep's values: what a point measures.
type Config struct {
	Store, Placement, Submode string
	Filter                    string
	load.Load
	ServerThreads, ClientThreads int
	Mode, Access                 string
	Protocol                     string
	Duration                     time.Duration
	Attach                       string

	takeMode bool // that of the server attached to, as the sweep asks for none
}

// id names a point in files and to people. What is usually swept stands there in words; the rest
// is in the digest, which covers the whole configuration: another warm-up is another point.
func (c *Config) id(repeat int) string {
	sum := sha256.Sum256(c.identity())
	parts := []string{
		c.Store, c.Placement, c.Submode,
		"get" + strconv.FormatFloat(c.GetRatio, 'f', -1, 64),
		fmt.Sprintf("s%d-c%d", c.ServerThreads, c.ClientThreads),
	}
	if c.RateOps > 0 {
		parts = append(parts, "rate"+strconv.FormatFloat(c.RateOps, 'f', -1, 64))
	}
	parts = append(parts, hex.EncodeToString(sum[:4]), "r"+strconv.Itoa(repeat))
	return strings.Join(parts, "-")
}

// identity is what the digest of an ID is made of: a JSON object of the keys' values, in the order
// of the table. Its bytes never change for a configuration that could be measured before.
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

// Describe is the configuration in a few words, for the one who watches.
func (c *Config) Describe() string {
	loop := "closed loop"
	if c.RateOps > 0 {
		loop = strconv.FormatFloat(c.RateOps, 'f', -1, 64) + " ops/s"
	}
	return fmt.Sprintf("%s %s %g %% GET, %d server and %d client threads, %s",
		c.Store, c.Placement, c.GetRatio*100, c.ServerThreads, c.ClientThreads, loop)
}

// Threads is how many of them an end has.
func (c *Config) Threads(server bool) int {
	if server {
		return c.ServerThreads
	}
	return c.ClientThreads
}

// What a point takes besides its window, on a server's core. The first points show how it is here.
const (
	pointOverhead = 200 * time.Millisecond // starting and ending two processes
	keyOverhead   = 600 * time.Nanosecond  // storing a key and asking for it
)

// Estimate is how long a point takes, before any was measured.
func (c *Config) Estimate() time.Duration {
	return c.Warmup + c.Duration + pointOverhead + time.Duration(c.Keys)*keyOverhead
}
