package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
)

// part is a run of "go test".
type part struct {
	dir, pkg  string // dir is relative to the repository
	benchmark string
	benchtime string
	repeats   string
}

// suite takes about three minutes.
var suite = []part{
	{"bench", ".", "^BenchmarkLimit$", "10000000x", "3"},
	{"bench", ".", "^BenchmarkServerLimit$", "1x", "2"},
	{"bench", ".", "^BenchmarkConnections$/^connections=(1|1000)$", "1x", "2"},
	{"bench", ".", "^BenchmarkClient$/^window=[14]$", "1x", "3"},
	{".", "./kvs/redis", "^BenchmarkSession$", "5000000x", "2"},
	{".", "./kvs/memcached", "^BenchmarkSession$", "5000000x", "2"},
	{".", "./kvs/herd", "^BenchmarkSHM$/^clients=[18]$/^batch=32$/./^get=100$", "10000000x", "3"},
	{".", "./verbs/softroce", "^BenchmarkBatch$", "200000x", "3"},
	{".", "./verbs/mqueue", "^BenchmarkRoundTrip$", "100000x", "2"},
}

// run returns what the benchmarks print.
func (p *part) run(ctx context.Context, repository string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", "test", p.pkg, "-run", "^$", "-bench", p.benchmark,
		"-benchtime", p.benchtime, "-count", p.repeats, "-timeout", "30m")
	cmd.Dir = filepath.Join(repository, p.dir)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}
