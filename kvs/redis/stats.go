package redis

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"dpukv/kvs"
)

// parseStats builds one worker from the server's sums over its threads.
func (of *product) parseStats(text map[string]string, workers, db int) (kvs.Stats, error) {
	p := parser{of: of, text: text}
	w := kvs.WorkerStats{
		Hits: p.count("keyspace_hits"), Evicted: p.count("evicted_keys"),
		Items: p.keys(db), Connections: p.count("connected_clients"),
	}
	w.Gets = w.Hits + p.count("keyspace_misses") // of GET and MGET, per key
	w.Ops = w.Gets + p.calls("set") + p.calls("del")
	w.CPUNs = p.nanoseconds("used_cpu_user") + p.nanoseconds("used_cpu_sys")
	s := kvs.Stats{CPUNs: w.CPUNs, Workers: []kvs.WorkerStats{w}}
	if workers > 1 && !of.shared {
		s.Warnings = p.idleThreads(workers)
	}
	return s, p.err
}

// parser parses fields, and keeps the first error.
type parser struct {
	of   *product
	text map[string]string
	err  error
}

func (p *parser) note(name, want string, err error) {
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("counter %s: found %q, allowed: %s", name, p.text[name], want)
	}
}

func (p *parser) count(name string) uint64 {
	n, err := strconv.ParseUint(p.text[name], 10, 64)
	p.note(name, "a number", err)
	return n
}

func (p *parser) nanoseconds(name string) int64 {
	seconds, err := p.of.seconds(p.text[name])
	p.note(name, "seconds", err)
	return int64(seconds * 1e9)
}

// keyspace is the title of the section with the databases that have keys.
const keyspace = "# Keyspace"

// keys returns the number of keys of a database. Without the section it is not known, and not 0.
func (p *parser) keys(db int) uint64 {
	if _, told := p.text[keyspace]; !told && p.err == nil {
		p.err = fmt.Errorf("number of keys: found no section %q in the answer to INFO, allowed: "+
			"one; give this user or this server INFO with all sections", keyspace)
	}
	return p.part("db"+strconv.Itoa(db), "keys")
}

// part returns a number in a field like "calls=12,usec=34". A missing field means that nothing has
// happened yet.
func (p *parser) part(name, key string) uint64 {
	for part := range strings.SplitSeq(p.text[name], ",") {
		if k, v, _ := strings.Cut(part, "="); k == key {
			n, err := strconv.ParseUint(v, 10, 64)
			p.note(name, "a number", err)
			return n
		}
	}
	if _, there := p.text[name]; there {
		p.note(name, key+"=… in it", errors.ErrUnsupported)
	}
	return 0
}

func (p *parser) calls(command string) uint64 { return p.part("cmdstat_"+command, "calls") }

// threadedShare is the smallest share of writes that a server must do on its io-threads to count as
// multi-threaded.
const threadedShare = 0.5

// idleThreads returns a warning if the io-threads slept.
func (p *parser) idleThreads(workers int) []string {
	threaded, all := p.text["io_threaded_writes_processed"], p.count("total_writes_processed")
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
