package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/results/runfolder"
)

// linesOf returns the lines of env.jsonl by node.
func linesOf(t *testing.T, dir string) map[string]nodeEnv {
	t.Helper()
	run := must.Get(runfolder.Open(dir))(t)
	lines, bad, err := run.Env()
	if err != nil || len(bad) > 0 {
		t.Fatal(err, bad)
	}
	list := map[string]nodeEnv{}
	for _, line := range lines {
		var env nodeEnv
		must.Do(t, json.Unmarshal(line, &env))
		if before, there := list[env.Node]; there {
			t.Errorf("%s has two lines: %+v", env.Node, before)
		}
		list[env.Node] = env
	}
	return list
}

// TestEnvHasEveryNode: a DPU that runs no process of a point has its line, too, and the reason if it
// can't be asked.
func TestEnvHasEveryNode(t *testing.T) {
	programs.Need(t, "ssh")
	o, stderr, _ := fakeOptions(t, "")
	bed := `nodes:
  client: {kind: host, via: local}
  server: {kind: host, via: local}
  card: {kind: dpu, of: silent, generation: bf2, via: local}
  silent: {kind: host, via: ssh, host: 127.0.0.1, port: 1, address: 192.0.2.1, binary: /nowhere/dpukv}
client_side: client
server_side: server
`
	o.TestbedFile, o.Argv = filepath.Join(t.TempDir(), "bed.yaml"), []string{"dpukv", "sweep", "--password", "x"}
	must.Do(t, os.WriteFile(o.TestbedFile, []byte(bed), 0o644))
	must.Get(runFake(t, o))(t)
	lines := linesOf(t, o.Dir)
	if len(lines) != 4 {
		t.Fatalf("found %d lines, want one a node: %+v", len(lines), lines)
	}
	for name, env := range lines {
		silent := name == "silent"
		if (env.Error != "") != silent || (env.Version == "") != silent || env.ReadAt.IsZero() && silent {
			t.Errorf("%s: found %+v", name, env)
		}
	}
	if card := lines["card"]; card.Kind != "dpu" || card.Generation != "bf2" {
		t.Errorf("found %+v", card)
	}
	if !strings.Contains(stderr.Lines(), "node silent, which runs no process of a point: ") {
		t.Errorf("found %q, %s", lines["silent"].Error, stderr.Lines())
	}
	starts, err := os.ReadFile(filepath.Join(o.Dir, "starts.jsonl"))
	if err != nil || !strings.Contains(string(starts), `"argv":["dpukv","sweep","--password","[redacted]"]`) {
		t.Errorf("found %s, %v", starts, err)
	}
}

// TestEnvOfANodeThatNeverStarts: the line of a node has the reason why its process did not start.
func TestEnvOfANodeThatNeverStarts(t *testing.T) {
	o, _, _ := fakeOptions(t, "@hello=die")
	if _, err := runFake(t, o); err == nil {
		t.Fatal("no failure")
	}
	lines := linesOf(t, o.Dir)
	for _, name := range []string{"client", "server"} {
		if env := lines[name]; env.Error == "" {
			t.Errorf("%s: found %+v", name, env)
		}
	}
}
