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

// keyPrefix completes the row of the keys' prefix.
func keyPrefix(f Field) Field {
	f.Allowed = "1 to 64 letters, digits and - _ . : /, or none"
	return textOr(f, none, func(l *Load) *string { return &l.KeyPrefix }, func(text string) bool {
		return text != "" && len(text) <= maxPrefixBytes && strings.Trim(text, prefixBytes) == ""
	})
}

// ttl completes the row of the time to live.
func ttl(f Field) Field {
	f.Allowed = "a time from 1ms to 720h, such as 60s, or none"
	text := func(d time.Duration) string {
		if d == 0 {
			return none
		}
		return d.String()
	}
	at := func(l *Load) *time.Duration { return &l.TTL }
	return field.Of(f, at, text, func(text string) (time.Duration, error) {
		if text == none {
			return 0, nil
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Millisecond || d > MaxTTL || d%time.Millisecond != 0 {
			return 0, errNotAllowed
		}
		return d, nil
	})
}
