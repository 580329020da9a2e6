package trace

import (
	"bytes"
	"math"
	"time"
)

// line is what a line of a source says. Its slices are valid until the next line.
type line struct {
	atNs                 int64
	key, op              []byte
	keyBytes, valueBytes uint64
	ttl                  time.Duration
}

// A parser reads a line without its end. It returns what is wrong with it, or "".
type parser interface {
	parse(text []byte, l *line) (fault string)
	// unitNs is the unit of the times so far, or 0 if they have none to spread operations over.
	unitNs() int64
	format() string
}

// maxAtNs bounds times: 146 years, from any beginning.
const maxAtNs = 1 << 62

// twitter reads the lines of Twitter's cache traces: time in seconds, key, key size, value size,
// client, operation, TTL in seconds. A key may have commas.
type twitter struct{}

func (twitter) format() string { return "twitter" }
func (twitter) unitNs() int64  { return int64(time.Second) }

const twitterFields = "time,key,key size,value size,client,operation,TTL"

func (twitter) parse(text []byte, l *line) (fault string) {
	const behind = 5 // fields behind the key
	var fields [behind][]byte
	rest := text
	for i := behind - 1; i >= 0; i-- {
		comma := bytes.LastIndexByte(rest, ',')
		if comma < 0 {
			return "not the 7 fields " + twitterFields
		}
		fields[i], rest = rest[comma+1:], rest[:comma]
	}
	comma := bytes.IndexByte(rest, ',')
	if comma < 0 {
		return "not the 7 fields " + twitterFields
	}
	at, ok := number(rest[:comma])
	if !ok || at > maxAtNs/uint64(time.Second) {
		return "no time in whole seconds"
	}
	l.atNs = int64(at) * int64(time.Second)
	l.key, l.op = rest[comma+1:], fields[3]
	if l.keyBytes, ok = number(fields[0]); !ok {
		return "no key size"
	}
	if l.valueBytes, ok = number(fields[1]); !ok {
		return "no value size"
	}
	ttl, ok := number(fields[4])
	if !ok {
		return "no TTL in whole seconds"
	}
	l.ttl = times(ttl, time.Second)
	return ""
}

// number reads a whole number of at most 18 digits.
func number(text []byte) (n uint64, ok bool) {
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + uint64(c-'0')
	}
	return n, len(text) > 0 && len(text) <= 18
}

// times is n units, or the longest time.
func times(n uint64, unit time.Duration) time.Duration {
	if n > math.MaxInt64/uint64(unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * unit
}
