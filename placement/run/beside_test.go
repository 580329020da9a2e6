package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/node"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// besideOptions are the options for a sweep of fake nodes of two builds.
func besideOptions(t *testing.T) (o Options, stderr *node.TailBuffer, pids string) {
	t.Helper()
	o, stderr, pids = fakeOptions(t, "")
	o.Beside, o.beside = "dpukv-main", []string{os.Args[0], "fake-node", pids, otherDpukv}
	return o, stderr, pids
}

// TestSweepOfTwoBuilds: every process of a point runs its build, and each point has both. Its node
// facts name both.
func TestSweepOfTwoBuilds(t *testing.T) {
	o, _, pids := besideOptions(t)
	sum, err := runFake(t, o)
	if err != nil || sum.Measured != 8 {
		t.Fatalf("got %+v, %v", sum, err)
	}
	folder := must.Get(runfolder.Open(o.Dir))(t)
	points := readPoints(t, o.Dir)
	if differ, err := DifferFromRequest(folder, points); err != nil || differ != nil {
		t.Errorf("the sweep does not ask for its points: %v, %v", differ, err)
	}
	own := must.Get(node.BuildID())(t)
	for i, p := range points {
		want := []string{own}
		version := "test"
		if strings.HasPrefix(p.Build, "v9@") {
			want, version = []string{"0123456789abcdef"}, "v9"
		}
		if err := results.Validate(&p); err != nil || !slices.Equal(p.Builds, want) || p.ClientVersion != version {
			t.Errorf("%s: build %s, digests %v, version %s, %v", p.ID, p.Build, p.Builds, p.ClientVersion, err)
		}
		if i%2 == 1 && (p.Build == points[i-1].Build || p.Seed != points[i-1].Seed) {
			t.Errorf("points %d and %d are no pair: %s, %s", i-1, i, points[i-1].ID, p.ID)
		}
	}
	lines, _, err := folder.Env()
	must.Do(t, err)
	var nodes []string
	for _, line := range lines {
		var env nodeEnv
		must.Do(t, json.Unmarshal(line, &env))
		if env.Beside != (env.Build == "0123456789abcdef") {
			t.Errorf("found %+v", env)
		}
		nodes = append(nodes, env.Node)
	}
	if slices.Sort(nodes); !slices.Equal(nodes, []string{"client", "client", "server", "server"}) {
		t.Errorf("env.jsonl has lines of %v, want two a node", nodes)
	}
	leaveNone(t, pids, 17) // the first was asked for its build
}

// TestTwoBuildsGoOn: a folder goes on, and grows, with the same two builds alone.
func TestTwoBuildsGoOn(t *testing.T) {
	o, stderr, _ := besideOptions(t)
	o.Only = "get_ratio=1"
	must.Get(runFake(t, o))(t)
	alone := o
	alone.SweepFile, alone.Beside = "", ""
	for _, c := range map[string]struct {
		edit func(*Options)
		want string
	}{
		"without the other": {func(o *Options) { o.Beside = "" }, "build: found two builds, v9@01234567 and test@"},
		"with one build, by its file": {
			func(o *Options) { o.Beside, o.SweepFile = "", alone.SweepFile }, "build: found two builds",
		},
		"with a third": {func(o *Options) { o.Version = "v10" }, "build is [v9@01234567, test@"},
	} {
		o := o
		o.SweepFile = ""
		c.edit(&o)
		_, err := NewPlan(o)
		must.Fail(t, err, c.want)
	}
	o.SweepFile, o.Only, o.Set = "", "", "repeats=2"
	sum, err := runFake(t, o)
	if err != nil || sum.Before != 4 || sum.Measured != 12 {
		t.Errorf("grown to 2 repeats: got %+v, %v, want 12 points beside 4", sum, err)
	}
	if strings.Contains(stderr.Lines(), "another build") {
		t.Errorf("stderr has %s", stderr.Lines())
	}
}

// TestOtherBuildIsReplaced: a node that runs another build than the one that was asked fails its
// points, and no others.
func TestOtherBuildIsReplaced(t *testing.T) {
	o, _, _ := besideOptions(t)
	o.Only = "get_ratio=1,client_threads=1"
	plan := must.Get(NewPlan(o))(t)
	plan.beside.start.Command[3] = "" // now it is this build
	sum, err := plan.Run(t.Context())
	if err == nil || sum.Measured != 1 || len(sum.Failed) != 1 ||
		!strings.Contains(sum.Failed[0].Reason, "is another build (fake, ") {
		t.Errorf("got %+v, %v", sum, err)
	}
	if !strings.Contains(err.Error(), " --beside dpukv-main") {
		t.Errorf("the command that continues lacks the other build: %v", err)
	}
}

// TestBesideIsRefused: what is no other build of dpukv, with the reason.
func TestBesideIsRefused(t *testing.T) {
	dir := t.TempDir()
	plain, script := filepath.Join(dir, "plain"), filepath.Join(dir, "script")
	must.Do(t, os.WriteFile(plain, []byte("x"), 0o644))
	must.Do(t, os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755))
	fake := func(script string) []string { return []string{os.Args[0], "fake-node", dir, script} }
	for name, c := range map[string]struct {
		path    string
		command []string
		want    string
	}{
		"nothing":          {filepath.Join(dir, "none"), nil, "none: found no such file, allowed: the path of another"},
		"a folder":         {dir, nil, "found no regular file"},
		"not executable":   {plain, nil, "found a file that is not executable: chmod +x"},
		"no dpukv":         {script, nil, "found a file that is no dpukv"},
		"a shell":          {"/bin/sh", nil, "found a "},
		"the same build":   {os.Args[0], fake(""), "found the build that sweeps itself (fake@"},
		"another protocol": {os.Args[0], fake("@hello=other protocol"), "its nodes (v9) speak protocol 99, those of"},
		"a silent program": {os.Args[0], fake("@hello=die"), "asked for its build, it gave no answer; allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, _, _ := fakeOptions(t, "")
			patient(&o)
			o.Beside, o.beside = c.path, c.command
			if _, err := NewPlan(o); err == nil || !strings.HasPrefix(err.Error(), "--beside "+c.path+": ") ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestTwoBuildsNeedTwoBinaries: a node with a binary of its own has one build, and a file alone does
// not have the other one.
func TestTwoBuildsNeedTwoBinaries(t *testing.T) {
	o, _, _ := besideOptions(t)
	bed := filepath.Join(t.TempDir(), "bed.yaml")
	text := "nodes:\n  near: {}\n  far: {binary: /opt/dpukv}\nclient_side: near\nserver_side: far\n"
	must.Do(t, os.WriteFile(bed, []byte(text), 0o644))
	o.TestbedFile = bed
	_, err := NewPlan(o)
	must.Fail(t, err, "found node far with a binary of its own, allowed: without")
	o.TestbedFile = ""
	for set, want := range map[string]string{
		"build=v1@aa,build=v2@bb": "--set says build: v1@aa, v2@bb already: leave out the key, which --beside writes",
		"slo=p99=1ms":             "slo: found p99=1ms with two builds, allowed: none",
	} {
		o.Set = set
		_, err := NewPlan(o)
		must.Fail(t, err, want)
	}
	o.Set, o.Beside = "", ""
	must.Do(t, os.WriteFile(o.SweepFile, []byte("build: [v1@aa, v2@bb]\n"), 0o644))
	_, err = NewPlan(o)
	must.Fail(t, err, "found two builds, v1@aa and v2@bb, without --beside: add --beside and the path of v1@aa")
}

// TestMistakable: of two builds that nothing but their digests tells apart, a node of another
// architecture may run either.
func TestMistakable(t *testing.T) {
	plan := must.Get(NewPlan(func() Options { o, _, _ := besideOptions(t); return o }()))(t)
	far := &plan.testbed.Nodes[0]
	other := &node.Hello{Version: "v9", Build: "arm64's"}
	if err := plan.mistakable(far, other, plan.beside); err != nil {
		t.Errorf("two versions: %v", err)
	}
	plan.this.Build, plan.this.Digest = plan.beside.Build, "another"
	must.Fail(t, plan.mistakable(far, other, plan.beside),
		"commit the change, and build both anew for each architecture")
}

// TestDryRunOfTwoBuilds says that there are two, and how many rounds a verdict takes.
func TestDryRunOfTwoBuilds(t *testing.T) {
	o, _, _ := besideOptions(t)
	var out strings.Builder
	must.Do(t, DryRun(&out, must.Get(NewPlan(o))(t)))
	must.Contain(t, out.String(),
		"every point is measured with two builds, one right after the other: v9@01234567 (dpukv-main) is the base, "+
			"and test@",
		"8 points in about",
		"dpukv compare tests 20 figures: found repeats: 1, needed: 3 for all settings together, and 10 for each alone")
}
