package kvs

import (
	"math"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// TestFactsCheck: facts of a server are input: what no server has is refused, by its name.
func TestFactsCheck(t *testing.T) {
	good := func() *Facts {
		return &Facts{
			Store: "mica", Version: "v1 (größer)", Workers: 4, Partitions: 8, CPUs: []int{0, 3}, MinHitRate: .99,
			Command: []string{"memcached", "-t 4"}, Lanes: &LaneFacts{Provider: "shm", Lanes: 4, CPUs: []int{1}},
		}
	}
	must.Do(t, good().Check())
	for name, c := range map[string]struct {
		spoil func(*Facts)
		want  string
	}{
		"a gate of 0":         {func(f *Facts) { f.MinHitRate = 0 }, "min_hit_rate: found 0, allowed: 0.9 to 1"},
		"a gate below 0":      {func(f *Facts) { f.MinHitRate = -5 }, "min_hit_rate: found -5"},
		"a gate above 1":      {func(f *Facts) { f.MinHitRate = 2 }, "min_hit_rate: found 2"},
		"no gate":             {func(f *Facts) { f.MinHitRate = math.NaN() }, "min_hit_rate: found NaN"},
		"too many workers":    {func(f *Facts) { f.Workers = 1 << 62 }, "workers: found 4611686018427387904"},
		"no workers":          {func(f *Facts) { f.Workers = 0 }, "workers: found 0"},
		"a CPU below 0":       {func(f *Facts) { f.CPUs = []int{0, -5} }, "cpus: found number -5"},
		"a CPU of a lane":     {func(f *Facts) { f.Lanes.CPUs = []int{-1} }, "cpus: found number -1"},
		"many CPUs":           {func(f *Facts) { f.CPUs = make([]int, 1<<20) }, "cpus: found 1048576 of them"},
		"bytes below 0":       {func(f *Facts) { f.LogBytes = -1 }, "log_bytes: found -1"},
		"a long text":         {func(f *Facts) { f.Version = strings.Repeat("v", 100_000) }, "found 100000 bytes"},
		"an escape sequence":  {func(f *Facts) { f.Version = "v1\x1b[2J" }, `found "v1\x1b[2J", allowed: printable`},
		"one of a lane":       {func(f *Facts) { f.Lanes.Provider = "\x1b[31m" }, "allowed: printable"},
		"one of a command":    {func(f *Facts) { f.Command[1] = "\a" }, "allowed: printable"},
		"what is no text":     {func(f *Facts) { f.Mode = "\xff" }, "allowed: printable"},
		"lanes out of range":  {func(f *Facts) { f.ProxyLanes = &LaneFacts{Lanes: -1} }, "lanes: found -1"},
		"many cluster nodes":  {func(f *Facts) { f.ClusterNodes = make([]string, 1<<20) }, "texts: found"},
		"slots of 2^40 bytes": {func(f *Facts) { f.Lanes.SlotBytes = 1 << 40 }, "slot_bytes: found"},
	} {
		f := good()
		c.spoil(f)
		if err := f.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, want %q", name, err, c.want)
		}
	}
}

// TestCheckStore: a server of a store has a mode, an access and a hash that the store knows.
func TestCheckStore(t *testing.T) {
	good := Facts{Store: "mica", Hash: "city64", Setup: Setup{Mode: "store", Access: "crew"}}
	must.Do(t, good.CheckStore("erew", "crew"))
	for want, spoil := range map[string]func(*Facts){
		`hash: found "", allowed with mica: the name`:          func(f *Facts) { f.Hash = "" },
		`hash: found "none", allowed`:                          func(f *Facts) { f.Hash = NoHash },
		`access: found "crcw", allowed with mica: erew, crew`:  func(f *Facts) { f.Access = "crcw" },
		`access: found ""`:                                     func(f *Facts) { f.Access = "" },
		`mode: found "sieve", allowed with mica: cache, store`: func(f *Facts) { f.Mode = "sieve" },
	} {
		f := good
		spoil(&f)
		must.Fail(t, f.CheckStore("erew", "crew"), want)
	}
}

// TestStatsCheck: counters, too. Warnings become printable, as a device's may quote anything.
func TestStatsCheck(t *testing.T) {
	s := Stats{Warnings: []string{"an \x1b[2J event", strings.Repeat("w", 100_000)}}
	must.Do(t, s.Check())
	if strings.ContainsRune(s.Warnings[0], '\x1b') || len(s.Warnings[1]) > 2000 {
		t.Errorf("found %.60q and %d bytes", s.Warnings[0], len(s.Warnings[1]))
	}
	for _, bad := range []Stats{
		{CPUNs: -1}, {Workers: make([]WorkerStats, MaxWorkers+1)}, {Warnings: make([]string, 1000)},
	} {
		if err := bad.Check(); err == nil {
			t.Errorf("%d ns, %d workers, %d warnings were accepted", bad.CPUNs, len(bad.Workers), len(bad.Warnings))
		}
	}
}
