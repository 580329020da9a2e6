package partition

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dpukv/kvs"

	"github.com/anishathalye/porcupine"
	"github.com/go-faster/city"
)

// register is what a key is to an observer: absent, or holding a number. What a
// cache evicts is gone without a request having said so.
type register struct {
	op     kvs.Op
	number uint64
}

type seen struct {
	status kvs.Status
	number uint64
}

const absent = 0

func registerModel(lossy bool) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{uint64(absent)} },
		Step: func(state, input, output any) []any {
			return stepRegister(state.(uint64), input.(register), output.(seen), lossy)
		},
		Equal: func(a, b any) bool { return a == b },
	}
	return model.ToModel()
}

// stepRegister gives the states that are possible after one operation.
func stepRegister(state uint64, in register, out seen, lossy bool) []any {
	var after []any
	before := []uint64{state}
	if lossy && state != absent {
		before = append(before, absent)
	}
	for _, s := range before {
		switch {
		case in.op == kvs.Get && (out.status == kvs.OK && s == out.number && s != absent || out.status == kvs.NotFound && s == absent):
			after = append(after, s)
		case in.op == kvs.Set && out.status == kvs.OK:
			after = append(after, in.number)
		case in.op == kvs.Delete && (out.status == kvs.OK) == (s != absent):
			after = append(after, uint64(absent))
		}
	}
	return after
}

// TestLinearizable lets one core write while others read the same few keys, and
// checks that each key's history could have happened one operation at a time.
// The log is small and the values differ in size, so that items are
// overwritten in place, replaced, moved, evicted and chained under the readers' eyes.
func TestLinearizable(t *testing.T) {
	for _, mode := range []Mode{Cache, Store} {
		t.Run(mode.String(), func(t *testing.T) {
			table := newTable(t, Config{Mode: mode, Access: CREW, Cores: 1, PerCore: 1, Items: 4, LogBytes: minLogBytes})
			var clock atomic.Int64
			var stop atomic.Bool
			const readers, keys, writes = 2, 12, 20_000
			histories := make([][]porcupine.Operation, readers+1)
			var wg sync.WaitGroup
			for r := range readers {
				wg.Go(func() {
					histories[r+1] = observe(t, table, r+1, keys, &clock, &stop)
				})
			}
			histories[0] = write(table, keys, writes, &clock)
			stop.Store(true)
			wg.Wait()
			checkPerKey(t, histories, keys, mode == Cache)
			table.partitions[0].checkInvariants(t)
		})
	}
}

func crewOp(code kvs.Op, key uint64, value []byte) []Op {
	k := fmt.Appendf(nil, "key-%02d", key)
	return []Op{{Code: code, Key: k, Hash: city.Hash64(k) & 0xffff_0000_0000_0003, Value: value}} // one bucket, few tags
}

func write(table *Table, keys, writes uint64, clock *atomic.Int64) (history []porcupine.Operation) {
	core := table.Core(0)
	sizes := []int{8, 8, 16, 200, 8, 9000}
	for n := uint64(1); n <= writes; n++ {
		code := kvs.Set
		if n%7 == 0 {
			code = kvs.Delete
		}
		key := n * 5 % keys
		ops := crewOp(code, key, patterned(n, sizes[n%uint64(len(sizes))]))
		call := clock.Add(1)
		core.Execute(ops, nil)
		history = append(history, porcupine.Operation{
			Input: keyed{key, register{code, n}}, Output: seen{ops[0].Status, n}, Call: call, Return: clock.Add(1),
		})
	}
	return history
}

type keyed struct {
	key uint64
	register
}

// patterned is a value that shows when parts of two are mixed.
func patterned(n uint64, size int) []byte {
	v := make([]byte, size)
	for i := 0; i+8 <= size; i += 8 {
		binary.LittleEndian.PutUint64(v[i:], n)
	}
	return v
}

func observe(t *testing.T, table *Table, id int, keys uint64, clock *atomic.Int64, stop *atomic.Bool) (history []porcupine.Operation) {
	core := table.Core(id) // owns nothing: all its reads are shared
	out := make([]byte, 0, 10000)
	for n := uint64(0); !stop.Load(); n++ {
		key := n % keys
		ops := crewOp(kvs.Get, key, nil)
		call := clock.Add(1)
		core.Execute(ops, out)
		got := seen{status: ops[0].Status}
		if got.status == kvs.OK {
			got.number = binary.LittleEndian.Uint64(ops[0].Value)
			if string(ops[0].Value) != string(patterned(got.number, len(ops[0].Value))) {
				t.Errorf("a torn value of %d bytes that starts with %d", len(ops[0].Value), got.number)
				return history
			}
		}
		history = append(history, porcupine.Operation{
			ClientId: id, Input: keyed{key, register{op: kvs.Get}}, Output: got, Call: call, Return: clock.Add(1),
		})
		if len(history) >= 60_000 {
			return history
		}
	}
	return history
}

func checkPerKey(t *testing.T, histories [][]porcupine.Operation, keys uint64, lossy bool) {
	t.Helper()
	model := registerModel(lossy)
	reads := 0
	for key := range keys {
		var one []porcupine.Operation
		for _, h := range histories {
			for _, op := range h {
				if in := op.Input.(keyed); in.key == key {
					op.Input = in.register
					one = append(one, op)
					if in.op == kvs.Get {
						reads++
					}
				}
			}
		}
		if got := porcupine.CheckOperationsTimeout(model, one, 30*time.Second); got != porcupine.Ok {
			t.Errorf("key %d: a history of %d operations is %v", key, len(one), got)
		}
	}
	t.Logf("%d reads checked", reads)
}

// TestCheckerFindsStaleReads makes sure that the check above can fail.
func TestCheckerFindsStaleReads(t *testing.T) {
	history := []porcupine.Operation{
		{Input: register{kvs.Set, 1}, Output: seen{kvs.OK, 1}, Call: 1, Return: 2},
		{Input: register{kvs.Set, 2}, Output: seen{kvs.OK, 2}, Call: 3, Return: 4},
		{Input: register{op: kvs.Get}, Output: seen{kvs.OK, 1}, Call: 5, Return: 6, ClientId: 1},
	}
	if porcupine.CheckOperations(registerModel(true), history) {
		t.Error("a stale read was called linearizable")
	}
}

// TestForeignCores: who does not own a partition reads it in CREW and nothing else, and does nothing in EREW.
func TestForeignCores(t *testing.T) {
	for _, access := range []Access{EREW, CREW} {
		table := newTable(t, Config{Access: access, Cores: 1, PerCore: 1, Items: 100, LogBytes: minLogBytes})
		table.Core(0).Execute(crewOp(kvs.Set, 1, []byte("v")), nil)
		foreign := table.Core(1)
		for code := kvs.Get; code <= kvs.Delete; code++ {
			ops := crewOp(code, 1, []byte("w"))
			foreign.Execute(ops, make([]byte, 0, 8))
			want := kvs.WrongWorker
			if access == CREW && code == kvs.Get {
				want = kvs.OK
			}
			if ops[0].Status != want {
				t.Errorf("%s %s by a foreign core: %s, want %s", access, code, ops[0].Status, want)
			}
		}
	}
}
