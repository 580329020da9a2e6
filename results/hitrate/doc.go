// Package hitrate draws the hit rates of caches: over the memory that a server has, and over the
// load. A figure of the load has the lines of the latency's.
package hitrate
