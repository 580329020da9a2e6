package redis

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"dpukv/kvs"
	"dpukv/kvs/internal/counters"
)

// parseStats builds one worker from the server's sums over its threads.
func (of *product) parseStats(text map[string]string, workers, db int) (kvs.Stats, error) {
	p := of.parser(text)
	w := kvs.WorkerStats{
		Hits: p.Count("keyspace_hits"), Evicted: p.Count("evicted_keys"),
		Items: p.part("db"+strconv.Itoa(db), "keys"), Connections: p.Count("connected_clients"),
	}
	w.Gets = w.Hits + p.Count("keyspace_misses") // of GET and MGET, per key
	w.Ops = w.Gets + p.calls("set") + p.calls("del")
	if user, sys := p.Told("used_cpu_user"), p.Told("used_cpu_sys"); user && sys {
		w.CPUNs = p.nanoseconds("used_cpu_user") + p.nanoseconds("used_cpu_sys")
	}
	s := kvs.Stats{CPUNs: w.CPUNs, Workers: []kvs.WorkerStats{w}}
	if workers > 1 && !of.shared {
		s.Warnings = p.idleThreads(workers)
	}
	s.NoItems = !p.Told(keyspace)
	s.Untold = p.Untold
	return s, p.Err
}

// parser parses the fields of INFO.
type parser struct {
	counters.Reader
	of *product
}

func (of *product) parser(text map[string]string) parser {
	return parser{counters.Reader{Text: text}, of}
}

func (p *parser) nanoseconds(name string) int64 { return p.Nanoseconds(name, p.of.seconds) }

// keyspace is the title of the section with the databases that have keys. Without the section,
// their numbers are not known, and not 0.
const keyspace = "# Keyspace"

// part returns a number in a field like "calls=12,usec=34". A missing field means that nothing has
// happened yet.
func (p *parser) part(name, key string) uint64 {
	for part := range strings.SplitSeq(p.Text[name], ",") {
		if k, v, _ := strings.Cut(part, "="); k == key {
			n, err := strconv.ParseUint(v, 10, 64)
			p.Note(name, "a number", err)
			return n
		}
	}
	if _, there := p.Text[name]; there {
		p.Note(name, key+"=… in it", errors.ErrUnsupported)
	}
	return 0
}

func (p *parser) calls(command string) uint64 { return p.part("cmdstat_"+command, "calls") }

// threadedShare is the smallest share of writes that a server must do on its io-threads to count as
// multi-threaded.
const threadedShare = 0.5

// idleThreads returns a warning if the io-threads slept.
func (p *parser) idleThreads(workers int) []string {
	threaded, all := p.Text["io_threaded_writes_processed"], p.Count("total_writes_processed")
	n, err := strconv.ParseUint(threaded, 10, 64)
	if err != nil {
		return []string{fmt.Sprintf("%s has %d io-threads and does not report whether they "+
			"worked", p.of.name, workers)}
	}
	if float64(n) >= threadedShare*float64(all) {
		return nil
	}
	return []string{fmt.Sprintf("%s has %d io-threads, but its main thread did %d of its %d "+
		"writes. The others sleep while fewer than %d connections have work: give it more "+
		"connections, or 1 thread", p.of.name, workers, all-n, all, 2*workers)}
}
