package kvs

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dpukv/verbs"
)

const (
	// LeastHitRate is the smallest [Facts.MinHitRate] that a client accepts. A server must not set
	// the gate that judges it.
	LeastHitRate = 0.9
	// MaxWorkers is the largest number of threads of a server.
	MaxWorkers = 1 << 16

	maxFactBytes = 1 << 10 // of a text
	maxFacts     = 1 << 12
	maxCPU       = 1 << 16
	maxBytes     = 1 << 50 // of memory
)

// number is a fact with its range.
type number struct {
	name               string
	found, least, most int64
}

// Check refuses facts that no server has: numbers out of range, and texts that are long or control
// a terminal. They come from another process, and go into points and reports. Whoever takes facts
// from a server calls it.
func (f *Facts) Check() error {
	if !(f.MinHitRate >= LeastHitRate && f.MinHitRate <= 1) { // NaN, too
		return fmt.Errorf("the server's facts: min_hit_rate: found %v, allowed: %v to 1; a store "+
			"that loses more keys cannot be measured", f.MinHitRate, LeastHitRate)
	}
	return f.check(1)
}

// CheckPart is Check for facts of a part of a server, such as its proxy: it has no gate, and maybe
// no threads that execute operations.
func (f *Facts) CheckPart() error { return f.check(0) }

func (f *Facts) check(leastWorkers int64) error {
	err := checkNumbers([]number{
		{"workers", int64(f.Workers), leastWorkers, MaxWorkers},
		{"partitions", int64(f.Partitions), 0, MaxWorkers},
		{"pid", int64(f.PID), 0, 1 << 31},
		{"items", int64(f.Items), 0, maxBytes},
		{"index_bytes", f.IndexBytes, 0, maxBytes},
		{"log_bytes", f.LogBytes, 0, maxBytes},
		{"max_batch", int64(f.MaxBatch), 0, 1 << 31},
		{"max_frame_bytes", int64(f.MaxFrameBytes), 0, 1 << 31},
		{"max_connections", int64(f.MaxConnections), 0, 1 << 31},
		{"max_client_bytes", f.MaxClientBytes, 0, maxBytes},
		{"guaranteed_bytes", f.GuaranteedBytes, 0, maxBytes},
		{"max_key_bytes", int64(f.MaxKeyBytes), 0, 1 << 31},
	})
	if err == nil {
		err = checkCPUs(f.CPUs)
	}
	if err == nil {
		err = CheckTexts(append(append([]string{
			f.Store, f.Version, f.Half, f.Transport, f.TLS, f.Provider, f.Protocol, f.Hash,
			f.Pages, f.RequestCheck,
		}, f.ClusterNodes...), f.Command...))
	}
	if r := f.Reads; err == nil && r != nil {
		err = CheckTexts([]string{r.Responder})
	}
	if err == nil {
		err = f.CheckSetup()
	}
	for _, l := range []*LaneFacts{f.Lanes, f.ProxyLanes} {
		if err == nil && l != nil {
			err = l.check()
		}
	}
	if err != nil {
		return fmt.Errorf("the server's facts: %w; check that it is a server of this store, and "+
			"not damaged", err)
	}
	return nil
}

// CheckStore refuses facts of a server that its store does not have, where clients hash keys: no
// hash function, and modes of access other than these. The client of such a store calls it.
func (f *Facts) CheckStore(access ...string) error {
	for _, word := range []struct {
		name, found string
		allowed     []string
	}{
		{"mode", f.Mode, []string{"cache", "store"}},
		{"access", f.Access, access},
	} {
		if !slices.Contains(word.allowed, word.found) {
			return fmt.Errorf("the server's facts: %s: found %.40q, allowed with %s: %s; check "+
				"that it is a server of this store", word.name, word.found, f.Store,
				strings.Join(word.allowed, ", "))
		}
	}
	if f.Hash == "" || f.Hash == NoHash {
		return fmt.Errorf("the server's facts: hash: found %q, allowed with %s: the name of a "+
			"hash function; check that it is a server of this store", f.Hash, f.Store)
	}
	return nil
}

func (l *LaneFacts) check() error {
	err := checkNumbers([]number{
		{"lanes", int64(l.Lanes), 0, MaxWorkers},
		{"slots", int64(l.Slots), 0, 1 << 31},
		{"slot_bytes", int64(l.SlotBytes), 0, 1 << 31},
		{"threads of lanes", int64(l.Workers), 0, MaxWorkers},
	})
	if err == nil {
		err = checkCPUs(l.CPUs)
	}
	if err == nil {
		err = CheckTexts([]string{l.Provider, l.Answers, l.Ordering, l.Wait})
	}
	return err
}

func checkNumbers(numbers []number) error {
	for _, n := range numbers {
		if n.found < n.least || n.found > n.most {
			return fmt.Errorf("%s: found %d, allowed: %d to %d", n.name, n.found, n.least, n.most)
		}
	}
	return nil
}

func checkCPUs(cpus []int) error {
	if len(cpus) > maxFacts {
		return fmt.Errorf("cpus: found %d of them, allowed: at most %d", len(cpus), maxFacts)
	}
	for _, c := range cpus {
		if c < 0 || c > maxCPU {
			return fmt.Errorf("cpus: found number %d, allowed: 0 to %d", c, maxCPU)
		}
	}
	return nil
}

// CheckTexts refuses texts of another process that are too many, long, or control a terminal.
func CheckTexts(texts []string) error {
	if len(texts) > maxFacts {
		return fmt.Errorf("texts: found %d, allowed: at most %d", len(texts), maxFacts)
	}
	for _, t := range texts {
		if len(t) > maxFactBytes {
			return fmt.Errorf("text: found %d bytes that begin with %.40q, allowed: at most %d",
				len(t), t, maxFactBytes)
		}
		if strings.ContainsFunc(t, unprintable) {
			return fmt.Errorf("text: found %.40q, allowed: printable characters", t)
		}
	}
	return nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }

const maxWarnings = 100

// Check refuses counters that no server has, and makes its warnings printable.
func (s *Stats) Check() error {
	if s.CPUNs < 0 || len(s.Workers) > MaxWorkers || len(s.Warnings) > maxWarnings {
		return fmt.Errorf("the server's counters: found %d ns of CPU time, %d workers, %d "+
			"warnings, allowed: 0 or more, %d, %d", s.CPUNs, len(s.Workers), len(s.Warnings),
			MaxWorkers, maxWarnings)
	}
	for i, w := range s.Warnings {
		s.Warnings[i] = verbs.Printable(w)
	}
	return nil
}
