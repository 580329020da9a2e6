package load

import (
	"cmp"
	"strings"
	"time"
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
	f.value = func(l *Load) any { return l.KeyPrefix }
	f.text = func(l *Load) string { return cmp.Or(l.KeyPrefix, none) }
	f.parse = func(l *Load, text string) error {
		if text == "" || len(text) > maxPrefixBytes || strings.Trim(text, prefixBytes) != "" {
			return errNotAllowed
		}
		if l.KeyPrefix = text; text == none {
			l.KeyPrefix = ""
		}
		return nil
	}
	return f
}

// ttl completes the row of the time to live.
func ttl(f Field) Field {
	f.Allowed = "a time from 1ms to 720h, such as 60s, or none"
	f.value = func(l *Load) any { return l.TTL }
	f.text = func(l *Load) string {
		if l.TTL == 0 {
			return none
		}
		return l.TTL.String()
	}
	f.parse = func(l *Load, text string) error {
		if text == none {
			l.TTL = 0
			return nil
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Millisecond || d > MaxTTL || d%time.Millisecond != 0 {
			return errNotAllowed
		}
		l.TTL = d
		return nil
	}
	return f
}
