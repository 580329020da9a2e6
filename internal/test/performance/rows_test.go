package performance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tables are the generated parts of pages, by the names that stand in the pages' comments.
func tables(all []*Processor) map[string]string {
	made := map[string]string{"processors": processors(all)}
	for name, t := range map[string]*table{
		"short": short(), "partition": partition(), "memory": memory(), "growth": growth(),
		"cores": cores(), "server": server(), "client": client(), "peers": peers(),
		"halves": halves(), "herd": herd(), "onesided": onesided(), "softroce": softroce(),
		"lanes": lanes(),
	} {
		made[name] = t.markdown(all)
	}
	return made
}

// beside is a row with a yardstick, a part, and their ratio.
func beside(label, benchmark, yardstick, own, ratio string) row {
	return row{label, []cell{ns(benchmark, yardstick), ns(benchmark, own), x(benchmark, ratio)}}
}

// over is such a row of two benchmarks.
func over(label string, yardstick, own cell) row {
	return row{label, []cell{yardstick, own, times(own, yardstick)}}
}

const cpuNs = "cpu-ns/op"

// inProcess is a GET or SET of the partition's benchmark.
func inProcess(keys int, store, op string, batch int) cell {
	return ns(fmt.Sprintf("bench.Partition/keys=%d/store=%s/op=%s/batch=%d", keys, store, op,
		batch), cpuNs)
}

const micaCache, micaStore = "mica-cache-erew-*", "mica-store-erew-*"

// short is the table of README.md.
func short() *table {
	echo, mica := tcp(4)
	return &table{"CPU time per operation | over that of | ratio", true, []row{
		{"a Go map's GET (1 M keys) | MICA's, in batches of 64", []cell{
			times(inProcess(1e6, "go-map", "GET", 1), inProcess(1e6, micaCache, "GET", 64)),
		}},
		{"MICA's server (4 connections) | a TCP echo of the same bytes", []cell{times(mica, echo)}},
		{"memcached (4 connections) | MICA's server", []cell{x(peer("memcached", 4, 1), "x-mica")}},
		{"Redis (4 connections) | MICA's server", []cell{x(peer("redis", 4, 1), "x-mica")}},
	}}
}

func partition() *table {
	t := &table{head: "CPU time per operation | GET, 1 M keys | SET | GET, 16 M keys | SET | " +
		"× MICA, GET, 1 M"}
	base := inProcess(1e6, micaCache, "GET", 64)
	for _, of := range []struct {
		label, store string
		batch        int
	}{
		{"MICA, batch 64", micaCache, 64},
		{"MICA, batch 64, mode store", micaStore, 64},
		{"MICA, one at a time", micaCache, 1},
		{"Go map, one at a time", "go-map", 1},
		{"fastcache, one at a time", "fastcache", 1},
	} {
		r := row{label: of.label}
		for _, keys := range []int{1e6, 16e6} {
			for _, op := range []string{"GET", "SET"} {
				r.cells = append(r.cells, inProcess(keys, of.store, op, of.batch))
			}
		}
		r.cells = append(r.cells, times(r.cells[0], base))
		t.rows = append(t.rows, r)
	}
	return t
}

func memory() *table {
	t := &table{head: "load | keys | floor | MICA | ratio"}
	for _, of := range []struct{ label, name string }{
		{"GET, 8-byte values | 16 M", "keys=16000000/load=get"},
		{"GET, 8-byte values, in the caches | 10,000", "keys=10000/load=get-cached"},
		{"GET, 64-byte values | 16 M", "keys=16000000/load=get-64B"},
		{"GET, 1-KiB values | 1 M", "keys=1048576/load=get-1KB"},
		{"GET, Zipf 0.99 | 16 M", "keys=16000000/load=get-zipf"},
		{"half SET | 16 M", "keys=16000000/load=half-set"},
		{
			"GET by three readers beside the writing owner (CREW) | 16 M",
			"keys=16000000/load=crew-3-readers",
		},
	} {
		t.rows = append(t.rows, beside(of.label, "bench.Limit/"+of.name, "floor-ns/op", cpuNs,
			"x-floor"))
	}
	return t
}

func growth() *table {
	keys := func(name string) cell { return ns("bench.Keys/keys="+name, cpuNs) }
	t := &table{head: "keys | index and items | limit | CPU time | × that of 1 M keys"}
	for _, of := range []struct{ label, name string }{
		{"10,000 | 0.5 MB | the work itself", "10000/store=mica-cache"},
		{"100,000 | 5 MB | the last cache", "100000/store=mica-cache"},
		{"1 M | 53 MB | memory", "1000000/store=mica-cache"},
		{"10 M | 0.5 GB | memory", "10000000/store=mica-cache"},
		{"100 M | 5.3 GB | memory and the TLB", "100000000/store=mica-cache"},
		{"100 M, pages of 1 GiB | 5.3 GB | memory", "100000000/store=mica-cache/pages=hugetlb-1g"},
	} {
		own, base := keys(of.name), keys("1000000/store=mica-cache")
		t.rows = append(t.rows, row{of.label, []cell{own, times(own, base)}})
	}
	return t
}

// cores are the benchmarks with growing numbers of cores. No benchmark has the last two yet.
func cores() *table {
	t := &table{head: "cores | partition, 16 M keys, Mops | MICA's server | client | HERD"}
	for n := 1; n <= 16; n *= 2 {
		t.rows = append(t.rows, row{fmt.Sprint(n), []cell{
			x(fmt.Sprintf("bench.Threads/threads=%d", n), "Mops"),
			ns(fmt.Sprintf("bench.Workers/workers=%d", n), "server-cpu-ns/op"),
			x(fmt.Sprintf("bench.Client/threads=%d", n), "client-cpu-ns/op"),
			x(fmt.Sprintf("herd.SHM/workers=%d", n), "Mops"),
		}})
	}
	return t
}

// tcp are the echo and the server.
func tcp(connections int) (echo, mica cell) {
	name := fmt.Sprintf("bench.TCP/connections=%d/server=", connections)
	return ns(name+"gnet-echo", "server-cpu-ns/op"), ns(name+"mica-cache", "server-cpu-ns/op")
}

func server() *table {
	t := &table{head: "connections × window, yardstick | yardstick | MICA | ratio"}
	for _, connections := range []int{1, 4} {
		echo, mica := tcp(connections)
		t.rows = append(t.rows, over(fmt.Sprintf("%d × 1, echo", connections), echo, mica))
	}
	for _, of := range []struct{ label, name string }{
		{"1 × 1", "Connections/connections=1"},
		{"4 × 1", "ServerLimit/connections=4/window=1"},
		{"100 × 1", "Connections/connections=100"},
		{"1,000 × 1", "Connections/connections=1000"},
		{"10,000 × 1", "Connections/connections=10000"},
		{"4 × 4", "ServerLimit/connections=4/window=4"},
		{"16 × 4", "ServerLimit/connections=16/window=4"},
	} {
		t.rows = append(t.rows, beside(of.label+", bare server", "bench."+of.name, "floor-ns/op",
			"server-ns/op", "x-floor"))
	}
	return t
}

func client() *table {
	t := &table{head: "client, window | server | client | ratio"}
	for _, of := range []struct{ label, name string }{
		{"`dpukv load`, 1", "window=1"},
		{"`dpukv load`, 4", "window=4"},
		{"bare, 1", "window=1/bare"},
		{"bare, 4", "window=4/bare"},
	} {
		t.rows = append(t.rows, beside(of.label, "bench.Client/"+of.name, "server-cpu-ns/op",
			"client-cpu-ns/op", "x-server"))
	}
	return t
}

// peer is a line of "make bench-peers".
func peer(store string, connections, window int) string {
	return fmt.Sprintf("peers.Peers/store=%s/threads=1/batch=64/connections=%d/window=%d/get=100",
		store, connections, window)
}

func peers() *table {
	t := &table{head: "connections × window, store | server | × MICA | client"}
	for _, of := range [][2]int{{4, 1}, {16, 1}, {4, 4}, {16, 4}} {
		for _, store := range []string{"MICA", "memcached", "Redis"} {
			name := peer(strings.ToLower(store), of[0], of[1])
			t.rows = append(t.rows, row{fmt.Sprintf("%d × %d, %s", of[0], of[1], store), []cell{
				ns(name, "server-cpu-ns/op"), x(name, "x-mica"), ns(name, "client-cpu-ns/op"),
			}})
		}
	}
	name := "peers.Peers/store=redis/threads=2/batch=64/connections=16/window=4/get=100"
	t.rows = append(t.rows, row{"16 × 4, Redis with `io-threads` 2, MICA with 2 threads", []cell{
		ns(name, "server-cpu-ns/op"), x(name, "x-mica"), ns(name, "client-cpu-ns/op"),
	}})
	return t
}

func halves() *table {
	t := &table{head: "answers | connections × window | whole server | engine | store half | " +
		"without empty polls"}
	for _, shape := range []struct{ label, name string }{
		{"16 × 1", "connections=16/window=1"}, {"4 × 16", "connections=4/window=16"},
	} {
		for _, way := range []string{"read", "write"} {
			name := "bench.Split/wait=poll/answers=" + way + "/" + shape.name
			t.rows = append(t.rows, row{way + " | " + shape.label, []cell{
				ns(name, "whole-cpu-ns/op"), x(name, "engine/whole"), x(name, "store/whole"),
				x(name, "store-work/whole"),
			}})
		}
	}
	return t
}

func herd() *table {
	t := &table{head: "clients × requests | Mops | median latency, µs | yardstick over HERD"}
	for _, of := range []struct{ label, name string }{
		{"8 × 32", "clients=8/batch=32/window=1"},
		{"1 × 32", "clients=1/batch=32/window=1"},
		{"1 × 32, four lists of 8", "clients=1/batch=8/window=4"},
		{"1 × 1", "clients=1/batch=1/window=1"},
	} {
		name := "herd.SHM/" + of.name + "/get=100"
		r := row{of.label, []cell{x(name, "Mops"), x(name, "p50-µs")}}
		if strings.Contains(of.name, "batch=32") {
			r.cells = append(r.cells, x(name, "x-yardstick"))
		} else {
			r.cells = append(r.cells, cell{}) // the yardstick has lists of 32
		}
		t.rows = append(t.rows, r)
	}
	return t
}

func onesided() *table {
	t := &table{head: "clients × requests, places | HERD, Mops | one-sided, Mops | HERD over it | " +
		"HERD's median, µs | its median, µs | its client | bare READ"}
	for _, of := range []struct{ label, name string }{
		{"8 × 32, 8", "clients=8/batch=32/neighbourhood=8"},
		{"8 × 32, 4", "clients=8/batch=32/neighbourhood=4"},
		{"1 × 32, 8", "clients=1/batch=32/neighbourhood=8"},
		{"1 × 1, 8", "clients=1/batch=1/neighbourhood=8"},
	} {
		name := "onesided.GET/" + of.name
		t.rows = append(t.rows, row{of.label, []cell{
			x(name, "herd-Mops"), x(name, "Mops"), x(name, "x-herd"), x(name, "herd-p50-µs"),
			x(name, "p50-µs"), ns(name, "client-cpu-ns/op"), ns(name, "bare-READ-ns/op"),
		}})
	}
	return t
}

func softroce() *table {
	t := &table{head: "softroce over bare UDP, 32 packets | sent | received"}
	for _, of := range []struct{ label, name string }{
		{"requests of 50 bytes", "requests=32x50B/uc-write"},
		{"answers of 32 bytes", "answers=32x32B/ud-send"},
	} {
		name := "softroce.Batch/" + of.name
		t.rows = append(t.rows, row{of.label, []cell{
			x(name, "x-udp-send"), x(name, "x-udp-receive"),
		}})
	}
	return t
}

func lanes() *table {
	t := &table{head: "lane over bare memory, bytes there and back | one CPU | two CPUs"}
	for _, way := range []string{"write", "read"} {
		for _, bytes := range []string{"32-32", "1560-664"} {
			name := fmt.Sprintf("mqueue.RoundTrip/answers=%s/bytes=%s/cpus=", way, bytes)
			t.rows = append(t.rows, row{
				way + ", " + strings.Replace(bytes, "-", " and ", 1),
				[]cell{x(name+"1", "x-bare"), x(name+"2", "x-bare")},
			})
		}
	}
	return t
}

// Rewrite writes the tables between the comments of a page:
//
//	<!-- results: NAME -->
//	| … |
//	<!-- end -->
func Rewrite(page string, all []*Processor) (string, error) {
	made := tables(all)
	const begin, end = "<!-- results: ", "<!-- end -->"
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(page, begin)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, rest, _ := strings.Cut(rest, " -->\n")
		table, known := made[name]
		_, after, closed := strings.Cut(rest, end)
		if !known || !closed {
			return "", fmt.Errorf("found a table %q (ended by %q: %t), allowed: %s", name, end,
				closed, strings.Join(slices.Sorted(maps.Keys(made)), ", "))
		}
		fmt.Fprintf(&b, "%s%s -->\n\n%s\n%s", begin, name, table, end)
		page = after
	}
}
