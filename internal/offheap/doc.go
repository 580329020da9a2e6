// Package offheap allocates memory outside the Go heap: the collector neither scans nor
// counts it, and it can lie on huge pages. A store's index and log live here.
package offheap
