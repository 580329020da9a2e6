package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"dpukv/client/load"
	"dpukv/internal/strictyaml"
	"dpukv/kvs/stores"
)

// Sweep is what a sweep file says. Each slice is an axis: every value is combined with every
// value of the others.
type Sweep struct {
	Stores, Placements, Submodes []string
	Filters                      []string // work on the path; "": none
	Load                         loadAxes
	ServerThreads, ClientThreads []int
	Mode, Access                 []string
	Protocol                     []string // of stores that have several; "": the store's own choice

	Duration, Warmup time.Duration
	Repeats          int
	Seed             uint64
	Attach           string // the address of a server that runs already; "": one is started for each point

	left  map[string]bool                // the keys of a store's knobs that the file leaves to each store's study
	where map[string]strictyaml.Position // the values' places in their file, by key and text; see place
}

// Default is the study's case of MICA, as far as one machine can have it: 27 points, a minute and a half.
func Default() Sweep {
	return Sweep{
		Stores: []string{stores.Default().Name}, Placements: []string{"CH-SH"}, Submodes: []string{"off-path"}, Filters: []string{""},
		Load: loadAxes{
			"get_ratios": {"1", "0.95", "0.5"}, "dist": {"uniform"},
			"keys": {"1000000"}, "key_bytes": {"8"}, "value_bytes": {"8"},
			"batch": {"64"}, "window": {"1"}, "connections": {"1"},
			"rates": {"0"}, "hash": {"city64"},
		},
		ServerThreads: []int{1}, ClientThreads: []int{1, 2, 4, 8},
		Mode: []string{"cache"}, Access: []string{"erew"}, Protocol: []string{""},
		Duration: 1500 * time.Millisecond, Warmup: 300 * time.Millisecond, Repeats: 3, Seed: 1,
	}
}

// Quick is the default sweep made short enough to watch: nine points in about a quarter of a minute.
func Quick() Sweep {
	s := Default()
	s.ClientThreads = []int{1, 2, 4}
	s.Duration, s.Warmup, s.Repeats = time.Second, 250*time.Millisecond, 1
	return s
}

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

// Point is one measurement to make: a configuration, and which of its repeats (from 1).
type Point struct {
	ID     string
	Repeat int
	Config
}

// Points lists the sweep's points in the order to measure them: every configuration once, then
// all again, so that a slow drift of the machine spreads over all of them instead
// of looking like the effect of one. For the same reason each round has an order of
// its own, shuffled by the sweep's seed.
func (s *Sweep) Points() []Point {
	configs := s.Configs()
	points := make([]Point, 0, len(configs)*s.Repeats)
	for repeat := 1; repeat <= s.Repeats; repeat++ {
		rng := rand.New(rand.NewPCG(s.Seed, uint64(repeat)))
		for _, i := range rng.Perm(len(configs)) {
			points = append(points, Point{configs[i].id(repeat), repeat, configs[i]})
		}
	}
	return points
}

// Configs combines the axes' values, the last axis fastest.
func (s *Sweep) Configs() []Config {
	first := Config{
		Duration: s.Duration, Attach: s.Attach, takeMode: s.Attach != "" && !s.says("mode"),
	}
	first.Warmup, first.Seed = s.Warmup, s.Seed
	all := []Config{first}
	for i := range sweepKeys {
		if sweepKeys[i].swept() {
			all = sweepKeys[i].multiply(s, all)
		}
	}
	for i := range all {
		s.asStudied(&all[i])
	}
	return all
}

// Size is the number of points, or the limit if there are more.
func (s *Sweep) Size(limit int) int {
	n := s.Repeats
	for i := range sweepKeys {
		if sweepKeys[i].swept() && !s.left[sweepKeys[i].name] {
			n = min(limit, n*len(sweepKeys[i].texts(s))) // the factors are small: no overflow
		}
	}
	return n
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

// Place says where a value stands in its file, ready to begin an error with; "" for a built-in sweep.
func (s *Sweep) Place(key, text string) string {
	if p, ok := s.where[key+"="+text]; ok {
		return p.String() + ": "
	}
	return ""
}

// MaxPoints is more than a year of sweeping: a sweep with more has a mistake in an axis.
const MaxPoints = 1_000_000

// Threads is how many of them an end has.
func (c *Config) Threads(server bool) int {
	if server {
		return c.ServerThreads
	}
	return c.ClientThreads
}
