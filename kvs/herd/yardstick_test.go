package herd

import (
	"fmt"
	"sync/atomic"
	"testing"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/internal/order"
	"dpukv/kvs"
	"dpukv/kvs/partition"
)

// bareLine is a request or an answer of the yardstick. The last word is written last.
type bareLine struct {
	key   [16]byte
	value [32]byte
	hash  uint64
	ready uint64 // sequence of what is in the line, and the operation
}

// BenchmarkYardstick is the store and the slots without verbs, queue pairs, or a session: two threads over plain memory,
// a line for each request and one for each answer. It is what the machine has to give, beside BenchmarkSHM in the same run.
func BenchmarkYardstick(b *testing.B) {
	keys := newStream()
	for _, clients := range []int{8, 1} {
		b.Run(fmt.Sprintf("clients=%d/window=32/get=100", clients), func(b *testing.B) { yardstick(b, keys, clients) })
	}
}

const bareWindow = 32

func yardstick(b *testing.B, keys *stream, clients int) {
	n := clients * bareWindow
	memory, err := offheap.Alloc(2*n*64, offheap.Auto)
	if err != nil {
		b.Fatal(err)
	}
	defer memory.Free()
	lines := unsafe.Slice((*bareLine)(unsafe.Pointer(&memory.Bytes()[0])), 2*n)
	table, err := partition.New(partition.Config{
		Mode: partition.Cache, Cores: 1, PerCore: 1, Items: benchKeys,
		LogBytes: partition.LogBytesFor(benchKeys, 16, 32, partition.Cache, 1),
	})
	if err != nil {
		b.Fatal(err)
	}
	defer table.Close()
	core := table.Core(0)
	for i := range uint64(benchKeys) {
		var key [16]byte
		putUint(key[:], i)
		core.Execute([]partition.Op{{Code: kvs.Set, Key: key[:], Value: make([]byte, 32), Hash: hashOf(key[:])}}, nil)
	}
	var stop atomic.Bool
	over := make(chan struct{})
	go func() { defer close(over); bareServer(core, lines[:n], lines[n:], clients, &stop) }()
	done := make(chan error)
	go func() {
		err := cpu.PinThread(clientCPU)
		if err == nil {
			bareClient(b, keys, lines[:n], lines[n:], clients)
		}
		done <- err
	}()
	err = <-done
	stop.Store(true)
	<-over
	if err != nil {
		b.Fatal(err)
	}
}

// bareClient writes whole windows, and waits for the oldest one's answers.
func bareClient(b *testing.B, keys *stream, slots, answers []bareLine, clients int) {
	cpu0, wall0 := cpu.ThreadNs(), cpu.NowNs()
	at := 0
	rounds := max(1, b.N/(clients*bareWindow))
	hits := 0
	for round := range uint64(rounds) + 1 {
		for c := range clients {
			for i := c * bareWindow; i < (c+1)*bareWindow; i++ {
				if round > 0 {
					for atomic.LoadUint64(&answers[i].ready)>>1 != round {
					}
					hits += int(answers[i].ready & 1)
				}
				if round < uint64(rounds) {
					slots[i].key, slots[i].hash = keys.keys[at], keys.hashes[at]
					order.Store64(&slots[i].ready, round+1)
					at = (at + 1) & (1<<streamBits - 1)
				}
			}
		}
	}
	ops := float64(rounds * clients * bareWindow)
	wall := cpu.NowNs() - wall0
	b.ReportMetric(float64(cpu.ThreadNs()-cpu0)/ops, "client-cpu-ns/op")
	b.ReportMetric(1e3*ops/float64(wall), "Mops")
	b.ReportMetric(100*float64(hits)/ops, "hit%")
}

func bareServer(core *partition.Core, slots, answers []bareLine, clients int, stop *atomic.Bool) {
	if cpu.PinThread(serverCPU) != nil {
		return
	}
	ops, from := make([]partition.Op, partition.Depth), make([]int, partition.Depth)
	out := make([]byte, 0, 64*partition.Depth)
	next := make([]uint64, clients)
	for !stop.Load() {
		n := 0
		for c := range clients {
			for n < len(ops) {
				i := c*bareWindow + int(next[c]%bareWindow)
				s := &slots[i]
				if atomic.LoadUint64(&s.ready) != next[c]/bareWindow+1 {
					break
				}
				ops[n] = partition.Op{Code: kvs.Get, Key: s.key[:], Hash: s.hash}
				from[n] = i
				next[c]++
				n++
			}
		}
		core.Execute(ops[:n], out)
		for k := range n {
			a := &answers[from[k]]
			found := uint64(0)
			if ops[k].Status == kvs.OK {
				found = 1
				a.value = [32]byte(ops[k].Value)
			}
			order.Store64(&a.ready, slots[from[k]].ready<<1|found)
		}
	}
}
