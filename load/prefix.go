package load

import (
	"strings"
	"time"

	"dpukv/internal/field"
)

// none is the text of a field without a value.
const none = "none"

const (
	maxPrefixBytes = 64
	// prefixBytes are those that no shell, table or protocol treats specially. Braces are not among
	// them: in Redis Cluster they would put all keys on one node.
	prefixBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/"
)

// MaxTTL is the longest time to live. memcached takes a larger number for a date.
const MaxTTL = 30 * 24 * time.Hour

// keyPrefix is the codec of the keys' prefix.
func keyPrefix() field.Codec[string] {
	return field.Or(none, field.Text("", func(text string) (string, bool) {
		return text, text != "" && len(text) <= maxPrefixBytes &&
			strings.Trim(text, prefixBytes) == ""
	})).As("1 to 64 letters, digits and - _ . : /, or none")
}

// ttl is the codec of the time to live.
func ttl() field.Codec[time.Duration] {
	c := field.Span(time.Millisecond, MaxTTL)
	parse := c.Parse
	c.Parse = func(text string) (time.Duration, error) {
		d, err := parse(text)
		if d%time.Millisecond != 0 {
			err = field.ErrNotAllowed
		}
		return d, err
	}
	return field.Or(none, c).As("a time from 1ms to 720h, such as 60s, or none")
}
