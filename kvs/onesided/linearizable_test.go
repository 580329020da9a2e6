package onesided

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"dpukv/kvs"

	"github.com/anishathalye/porcupine"
)

// register is one operation on a key, and seen its outcome. 0 is no value.
type register struct {
	op     kvs.Op
	number uint64
}

type seen struct {
	status kvs.Status
	number uint64
}

var registers = porcupine.Model{
	Init: func() any { return uint64(0) },
	Step: func(state, input, output any) (bool, any) {
		was, in, out := state.(uint64), input.(register), output.(seen)
		switch in.op {
		case kvs.Get:
			return out.number == was, was
		case kvs.Set:
			return out.status == kvs.OK, in.number
		default:
			return (out.status == kvs.OK) == (was != 0), uint64(0)
		}
	},
	Equal: func(a, b any) bool { return a == b },
}

// TestLinearizable records the operations of a worker, and the GETs that READs answer meanwhile, of
// a few keys of one home, in a table too small for them. Each key's history is possible one
// operation at a time, under every model of a device.
func TestLinearizable(t *testing.T) {
	const round = 2000 // GETs, as a history has its place in memory
	for _, m := range models() {
		t.Run(m.name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
			r := m.rig(t)
			keys := keysOfHome(r, 5)
			goal, answered := m.goal(t)/10, 0
			for answered < goal && !t.Failed() {
				n := min(round, goal-answered)
				for i, all := range record(t, r, keys, n) {
					if !porcupine.CheckOperations(registers, all) {
						t.Errorf("key %d: a history of %d operations is not possible one at a time", i, len(all))
					}
				}
				answered += n
				for _, k := range keys {
					r.do(kvs.Delete, k, nil) // as a history begins
				}
			}
			t.Logf("%d GETs by READ, %d asked of the server, %d READs again", answered, r.asked, r.counts.Retries)
		})
	}
}

// record returns the history of each key while READs answer n GETs.
func record(t *testing.T, r *rig, keys [][]byte, n int) [][]porcupine.Operation {
	t.Helper()
	histories := make([][]porcupine.Operation, len(keys))
	written := make([][]porcupine.Operation, len(keys))
	var clock, current, reads atomic.Int64
	var stop atomic.Bool
	var writer sync.WaitGroup
	writer.Go(func() { write(r, keys, written, &clock, &current, &reads, &stop) })
	for n > 0 {
		i := current.Load()
		asked, call := r.asked, clock.Add(1)
		answers, err := r.get(keys[i:i+1], nil)
		end := clock.Add(1)
		reads.Add(1)
		if err != nil {
			t.Error(err)
			break
		}
		if r.asked > asked {
			continue
		}
		out := seen{status: answers[0].Status}
		if out.status == kvs.OK {
			var whole bool
			if out.number, whole = number(answers[0].Value); !whole {
				t.Errorf("parts of two values")
			}
		}
		n--
		histories[i] = append(histories[i], porcupine.Operation{
			ClientId: 1, Input: register{op: kvs.Get}, Output: out, Call: call, Return: end,
		})
	}
	stop.Store(true)
	writer.Wait()
	for i := range keys {
		histories[i] = append(histories[i], written[i]...)
	}
	return histories
}

// keysOfHome finds keys of one home.
func keysOfHome(r *rig, n int) (keys [][]byte) {
	for i := 0; len(keys) < n; i++ {
		k := fmt.Appendf(nil, "key %d", i)
		if r.engine.table.home(hashOf(k)) == 7 {
			keys = append(keys, k)
		}
	}
	return keys
}

// write sets and deletes the keys in turn, with values in the items and behind pointers. The reader
// gets the key that it writes. Pauses keep the histories short: within a GET, it writes 64 times.
func write(
	r *rig, keys [][]byte, histories [][]porcupine.Operation, clock, current, reads *atomic.Int64,
	stop *atomic.Bool,
) {
	sizes := []int{8, 32, 200, 16}
	during, written := int64(0), 0 // a GET
	for n := uint64(1); !stop.Load(); n++ {
		if now := reads.Load(); now != during {
			during, written = now, 0
		} else if written++; written > 64 {
			n--
			runtime.Gosched()
			continue
		}
		i := int(n*3) % len(keys)
		in := register{kvs.Set, n}
		var value []byte
		if n%7 == 0 {
			in = register{op: kvs.Delete}
		} else {
			value = numbered(n, sizes[n%uint64(len(sizes))])
		}
		current.Store(int64(i))
		for at, spins := clock.Load(), 0; clock.Load() == at && spins < 1000; spins++ {
		}
		call := clock.Add(1)
		status := r.do(in.op, keys[i], value)
		histories[i] = append(histories[i], porcupine.Operation{
			Input: in, Output: seen{status: status}, Call: call, Return: clock.Add(1),
		})
	}
}
