package probechart

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// memory is the access pattern of a store on the server's node: a latency for a single operation,
// and a bound on the throughput for a batch.
func (b *breakdown) memory() Part {
	of := b.peak.Repeats[0]
	node := of.ServerNode.Node
	if node == "" {
		return Part{Name: "memory of the server's node", Follows: "the points name no node"}
	}
	name := "memory of " + node
	table := of.Keys * (of.KeyBytes + of.ValueBytes)
	all := b.selected("memory", "kvs", func(p *results.Point) bool { return p.Placement == node })
	if len(all) == 0 {
		return missing(name, fmt.Sprintf(
			"{memory: {test: [kvs], block_bytes: [%d], batch: [1, 64]}}",
			max(4096, 1<<bits.Len(uint(max(1, table)-1)))))
	}
	block, pages := blockFor(all, table), pagesFor(all, of.Pages)
	at := func(batch string) []*results.Point {
		return slices.DeleteFunc(slices.Clone(all), func(p *results.Point) bool {
			return p.Settings["block_bytes"] != block || p.Settings["batch"] != batch ||
				p.Settings["pages"] != pages
		})
	}
	one, many := at("1"), at("64")
	made := part(name, append(one, many...)...)
	made.Measured = memoryText(one, many, block)
	if words := settingWords("pages", pages); words != "" {
		made.Measured += ", " + words
	}
	made.Follows = b.memoryBound(one, many, table)
	return made
}

// blockFor is the least block that holds the table, or else the largest.
func blockFor(points []*results.Point, table int) string {
	blocks := values(points, "block_bytes")
	for _, block := range blocks {
		if n, err := strconv.Atoi(block); err == nil && n >= table {
			return block
		}
	}
	return blocks[len(blocks)-1]
}

// pagesFor is the probes' kind of pages that the store had ("thp-2m"), or else the first.
func pagesFor(points []*results.Point, used string) string {
	kinds := values(points, "pages")
	for _, kind := range kinds {
		if kind != "" && (strings.HasPrefix(used, kind) ||
			kind == "huge" && strings.HasPrefix(used, "hugetlb")) {
			return kind
		}
	}
	return kinds[0]
}

func memoryText(one, many []*results.Point, block string) string {
	text := ""
	if len(one) > 0 {
		text = numfmt.Nanoseconds(median(one, "latency_ns")) + " per operation alone"
	}
	if len(many) > 0 {
		if text != "" {
			text += ", "
		}
		text += numfmt.Nanoseconds(median(many, "latency_ns")) + " in batches of 64"
	}
	n, _ := strconv.ParseFloat(block, 64)
	return text + ", in a table of " + SizeText(n)
}

// memoryBound is the bound for the server's threads. A store without batches waits for each
// operation by itself.
func (b *breakdown) memoryBound(one, many []*results.Point, table int) string {
	of := b.peak.Repeats[0]
	used, how := many, "in batches"
	if of.Batch == 1 || len(many) == 0 {
		used, how = one, "one at a time"
	}
	says := fmt.Sprintf("the keys and values of the run take %s or more", roundSize(table))
	if ns := 0.0; len(used) > 0 {
		if ns = median(used, "latency_ns"); ns > 0 {
			says = b.bound(fmt.Sprintf("%s, operations %s",
				numfmt.Count(of.ServerThreads, "server thread"), how),
				float64(of.ServerThreads)*1e9/ns) + "; " + says
		}
	}
	return says
}

// roundSize writes a number of bytes with three digits.
func roundSize(bytes int) string {
	switch x := float64(bytes); {
	case x >= 1<<30:
		return numfmt.Digits3(x/(1<<30)) + " GiB"
	case x >= 1<<20:
		return numfmt.Digits3(x/(1<<20)) + " MiB"
	case x >= 1<<10:
		return numfmt.Digits3(x/(1<<10)) + " KiB"
	}
	return fmt.Sprintf("%d B", bytes)
}

// bandwidth is the TCP bandwidth of the path: up to the server for requests, down for answers.
func (b *breakdown) bandwidth(direction string) Part {
	name := map[string]string{"up": "TCP to the server", "down": "TCP to the clients"}[direction]
	all := b.selected("network", "stream", func(p *results.Point) bool {
		return b.onPath(p) && p.Settings["direction"] == direction
	})
	if len(all) == 0 {
		return missing(name, fmt.Sprintf(
			"{network: {test: [stream], cores: [1, 2], direction: [%s]}}", direction))
	}
	var best []*results.Point
	for _, g := range groupBy(all, settingsOf(all)) {
		if best == nil || median(g, "bytes_per_s") > median(best, "bytes_per_s") {
			best = g
		}
	}
	made, rate := part(name, best...), median(best, "bytes_per_s")
	made.Measured = linkText(rate)
	if words := settingWords("cores", best[0].Settings["cores"]); words != "" {
		made.Measured += " with " + words
	}
	if size := b.bytesPerOp(direction); size > 0 && rate > 0 {
		made.Follows = b.bound(fmt.Sprintf("%s B per operation", numfmt.Digits3(size)), rate/size)
	} else {
		made.Follows = "the points do not count the bytes of an operation"
	}
	return made
}

// bytesPerOp is the payload of an operation: of requests by their frames, of answers by what the
// clients' sockets received in the measurement period.
func (b *breakdown) bytesPerOp(direction string) float64 {
	return results.SpreadBy(b.peak.Repeats, func(p *results.Point) float64 {
		switch received := p.ClientMovedWindow.Sockets.ReceivedBytes; {
		case direction == "up" && p.OpsPerFrame > 0:
			return p.BytesPerFrame / p.OpsPerFrame
		case direction == "down" && p.Ops > 0:
			return float64(received) / float64(p.Ops)
		}
		return 0
	}).Median
}

// maxMessage is the largest message of the kind network.
const maxMessage = 64 << 10

// roundTrip is a request and its answer over TCP, with one request at a time.
func (b *breakdown) roundTrip() Part {
	const name = "TCP request and response"
	size := b.least.Repeats[0].BytesPerFrame
	all := b.selected("network", "rr", func(p *results.Point) bool {
		return b.onPath(p) && p.Settings["rate"] == "0" && p.Settings["connections"] == "1" &&
			p.Figures["p50_latency_ns"] > 0
	})
	if len(all) == 0 {
		return missing(name, fmt.Sprintf(
			"{network: {test: [rr], bytes: [%.0f], connections: [1], rate: [0]}}",
			min(max(1, size), maxMessage)))
	}
	near := nearest(all, size)
	made, ns := part(name, near...), median(near, "p50_latency_ns")
	made.Measured = fmt.Sprintf("median %s at %s, one at a time", numfmt.Nanoseconds(ns),
		settingWords("bytes", near[0].Settings["bytes"]))
	made.Follows = fmt.Sprintf("a request of the run has %s B; %s", numfmt.Digits3(size),
		b.floor(ns))
	return made
}

// nearest are the repeats whose message size is nearest to a size.
func nearest(points []*results.Point, size float64) []*results.Point {
	distance := func(p *results.Point) float64 {
		n, _ := strconv.ParseFloat(p.Settings["bytes"], 64)
		return max(n-size, size-n)
	}
	groups := groupBy(points, []string{"bytes"})
	return slices.MinFunc(groups, func(a, b []*results.Point) int {
		return cmp.Compare(distance(a[0]), distance(b[0]))
	})
}

// verbs are a WRITE and a SEND, one after the other: a request and its answer over RDMA. The
// probe's latency of either is one way.
func (b *breakdown) verbs() Part {
	const name = "RDMA, WRITE and SEND"
	size := b.least.Repeats[0].BytesPerFrame
	of := func(op string) []*results.Point {
		return b.selected("verbs", "latency", func(p *results.Point) bool {
			return b.onPath(p) && p.Settings["op"] == op && p.Figures["p50_latency_ns"] > 0 &&
				p.Provider == b.least.Repeats[0].Provider
		})
	}
	writes, sends := of("write"), of("send")
	if len(writes) == 0 || len(sends) == 0 {
		return missing(name, fmt.Sprintf(
			"{verbs: {test: [latency], op: [write, send], bytes: [%.0f]}}", max(1, size)))
	}
	write, send := nearest(writes, size), nearest(sends, size)
	made := part(name, append(write, send...)...)
	there, back := median(write, "p50_latency_ns"), median(send, "p50_latency_ns")
	made.Measured = fmt.Sprintf("medians: WRITE of %s %s, SEND of %s %s, one way",
		settingWords("bytes", write[0].Settings["bytes"]), numfmt.Nanoseconds(there),
		settingWords("bytes", send[0].Settings["bytes"]), numfmt.Nanoseconds(back))
	made.Follows = fmt.Sprintf("%s + %s = %s for a request by WRITE and an answer by SEND; %s",
		numfmt.Nanoseconds(there), numfmt.Nanoseconds(back), numfmt.Nanoseconds(there+back),
		b.floor(there+back))
	return made
}
