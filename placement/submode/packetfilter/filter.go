package packetfilter

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Filter is work on the path. The zero value does none.
type Filter struct {
	// DropClients are the addresses of clients whose packets are dropped. An unused address costs
	// the comparison, and drops nothing.
	DropClients []netip.Addr
	// DropPartitions are the partitions whose requests are dropped. An unused one also costs only
	// the comparison.
	DropPartitions []int
	CountOpcodes   bool
}

// Words describes the allowed words.
const Words = "none, drop-client:ADDRESS or A-B (IPv4), drop-key-hash:PARTITION or P-Q (HERD), " +
	"count-opcode (HERD); separate several by blanks"

// MostRules is the highest number of rules: they fit an eBPF program with room to spare.
const MostRules = 1000

// mostPartitions is the number of partitions with a UDP port of their own.
const mostPartitions = 1 << 12

const (
	dropClient  = "drop-client"
	dropKeyHash = "drop-key-hash"
	countOpcode = "count-opcode"
)

// Parse reads words such as "drop-client:10.0.0.7"; "none" or no word is no filter.
func Parse(words []string) (Filter, error) {
	var f Filter
	for _, w := range words {
		if err := f.add(w); err != nil {
			return Filter{}, fmt.Errorf("filter: found %q, allowed: %w", w, err)
		}
	}
	if n := f.Rules(); n > MostRules {
		return Filter{}, fmt.Errorf("filter: found %d addresses and partitions, allowed: at "+
			"most %d", n, MostRules)
	}
	return f, nil
}

func (f *Filter) add(word string) error {
	kind, arg, hasArg := strings.Cut(word, ":")
	switch {
	case word == "none":
	case kind == dropClient:
		return f.addClients(arg)
	case kind == dropKeyHash:
		return f.addPartitions(arg)
	case kind == countOpcode && hasArg:
		return errors.New(countOpcode + " without anything behind it: it counts all operations")
	case word == countOpcode:
		f.CountOpcodes = true
	default:
		return errors.New(Words)
	}
	return nil
}

func (f *Filter) addClients(text string) error {
	first, last := ends(text)
	a, err1 := netip.ParseAddr(first)
	z, err2 := netip.ParseAddr(last)
	if err1 != nil || err2 != nil || !a.Is4() || !z.Is4() || z.Less(a) {
		return errors.New("an IPv4 address, or the first and the last of some, as " +
			"192.0.2.1-192.0.2.9")
	}
	for ; ; a = a.Next() {
		if len(f.DropClients) == MostRules {
			return fmt.Errorf("at most %d addresses", MostRules)
		}
		if !slices.Contains(f.DropClients, a) {
			f.DropClients = append(f.DropClients, a)
		}
		if a == z {
			return nil
		}
	}
}

func (f *Filter) addPartitions(text string) error {
	first, last := ends(text)
	a, err1 := strconv.Atoi(first)
	z, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || a < 0 || z < a || z >= mostPartitions {
		return fmt.Errorf("a partition from 0 to %d, or the first and the last of some, as 2-3",
			mostPartitions-1)
	}
	for ; a <= z; a++ {
		if !slices.Contains(f.DropPartitions, a) {
			f.DropPartitions = append(f.DropPartitions, a)
		}
	}
	return nil
}

// ends returns the first and the last element of a range; a single element is both.
func ends(text string) (first, last string) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	return first, last
}

// String returns the filter in the words of Parse; "" for none.
func (f Filter) String() string { return strings.Join(f.Words(), " ") }

// Words returns the filter as Parse takes it.
func (f *Filter) Words() []string {
	words := ranges(dropClient, f.DropClients, netip.Addr.Next)
	words = append(words, ranges(dropKeyHash, f.DropPartitions, func(p int) int {
		return p + 1
	})...)
	if f.CountOpcodes {
		words = append(words, countOpcode)
	}
	return words
}

// ranges joins neighbours to ranges.
func ranges[T comparable](kind string, all []T, next func(T) T) (words []string) {
	for i := 0; i < len(all); {
		first, last := all[i], all[i]
		for i++; i < len(all) && all[i] == next(last); i++ {
			last = all[i]
		}
		word := fmt.Sprintf("%s:%v", kind, first)
		if first != last {
			word += fmt.Sprintf("-%v", last)
		}
		words = append(words, word)
	}
	return words
}

// None reports whether there is nothing to do.
func (f *Filter) None() bool { return f.Rules() == 0 && !f.CountOpcodes }

// Rules counts the comparisons for each packet.
func (f *Filter) Rules() int { return len(f.DropClients) + len(f.DropPartitions) }

// ReadsRequests reports whether the filter looks for HERD's requests over RoCE. A store over TCP
// has none.
func (f *Filter) ReadsRequests() bool { return len(f.DropPartitions) > 0 || f.CountOpcodes }
