// Package counters reads the counters that a server tells as texts.
package counters
