package emulate

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dpukv/internal/test/must"
	"dpukv/placement/emulate/keeper"
)

// TestRefused: the error names each mistake, and the correct form.
func TestRefused(t *testing.T) {
	host := Machine{Name: "h", Kind: Host}
	other := Machine{Name: "g", Kind: Host}
	dpu := Machine{Name: "d", Kind: DPU, Of: "h"}
	with := func(m Machine, change func(*Machine)) Machine { change(&m); return m }
	direct, onPath := func(m *Machine) { m.Direct = true }, func(m *Machine) { m.OnPath = true }
	of := func(machines ...Machine) Spec { return Spec{Machines: machines} }
	for want, spec := range map[string]Spec{
		"found 0 machines":                       {},
		"MTU: found 100, allowed: 1280 to 65535": {Machines: []Machine{host}, MTU: 100},
		`offloads: found "some"`:                 {Machines: []Machine{host}, Offloads: "some"},
		"machine h: found a second one":          of(host, host),
		`machine "": found this name`:            of(Machine{Kind: Host}),
		`machine "../x": found this name`:        of(Machine{Name: "../x", Kind: Host}),
		`machine "switch": found this name`:      of(Machine{Name: "switch", Kind: Host}),
		`machine "card-h": found this name`:      of(Machine{Name: "card-h", Kind: Host}),
		`found kind "nic", allowed: host, dpu`:   of(Machine{Name: "h", Kind: "nic"}),
		"found of or on_path on a host":          of(host, with(other, onPath)),
		"found direct on a dpu":                  of(host, with(dpu, direct)),
		`found of: "x", allowed: a host`:         of(host, with(dpu, func(m *Machine) { m.Of = "x" })),
		`found of: "d", allowed: a host`:         of(host, dpu, Machine{Name: "e", Kind: DPU, Of: "d"}),
		"found direct on a host with the DPU d":  of(with(host, direct), other, dpu),
		"found on_path on one of several DPUs": of(host, other, dpu,
			Machine{Name: "e", Kind: DPU, Of: "h", OnPath: true}),
		"in a lab of one host": of(host, with(dpu, onPath)),
		`profile: found "bf9", allowed: bf1, bf2, bf3, none, or a file`: of(with(host,
			func(m *Machine) { m.Profile = "bf9" })),
	} {
		spec.Keeper = []string{"false"}
		l, err := Start(t.Context(), spec)
		if err == nil {
			l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestTopology: the plan of any valid spec gives each machine its interfaces, and has each
// interface once. All machines are connected, except where an on-path DPU's datapath is missing.
func TestTopology(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := Spec{Machines: randomMachines(t)}
		if err := spec.check(); err != nil {
			t.Fatal(err)
		}
		top := newTopology(&spec)
		joined := map[string]string{} // by space: another of its island
		find := func(s string) string {
			for joined[s] != "" {
				s = joined[s]
			}
			return s
		}
		seen := map[string]bool{}
		for _, l := range top.Links {
			for _, e := range []keeper.End{l.A, l.B} {
				id := e.Space + "/" + e.Name
				if seen[id] || len(e.Name) > 15 || !slices.Contains(top.Spaces, e.Space) ||
					e.Bridged != slices.Contains(top.Bridges, e.Space) {
					t.Fatalf("the end %+v of %+v", e, top.Plan)
				}
				seen[id] = true
			}
			if a, b := find(l.A.Space), find(l.B.Space); a != b {
				joined[a] = b
			} else {
				t.Fatalf("a loop through %+v", l)
			}
		}
		for _, s := range top.Spaces {
			if find(s) != find(top.Spaces[0]) {
				t.Errorf("%s is apart", s)
			}
		}
		checkInterfaces(t, &spec, top)
	})
}

func checkInterfaces(t *rapid.T, spec *Spec, top *topology) {
	addresses := map[string]bool{}
	for i := range spec.Machines {
		m := &spec.Machines[i]
		want := []string{Uplink}
		if m.OnPath {
			want = []string{Port, HostPort}
		} else if a := top.addresses[m.Name]; a == "" || addresses[a] {
			t.Errorf("%s has the address %q", m.Name, a)
		} else {
			addresses[a] = true
		}
		if got := top.interfaces(m.Name); spec.hosts() > 1 && !slices.Equal(got, want) {
			t.Errorf("%s has the interfaces %v, want %v", m.Name, got, want)
		}
		if _, ok := top.cables[m.Name]; !ok {
			t.Errorf("%s has no cable to pull", m.Name)
		}
	}
}

func randomMachines(t *rapid.T) []Machine {
	var all []Machine
	hosts := rapid.IntRange(1, 5).Draw(t, "hosts")
	for h := range hosts {
		host := Machine{Name: fmt.Sprintf("h%d", h), Kind: Host}
		dpus := rapid.IntRange(0, 3).Draw(t, "dpus")
		host.Direct = dpus == 0 && hosts > 1 && rapid.Bool().Draw(t, "direct")
		all = append(all, host)
		for d := range dpus {
			m := Machine{Name: fmt.Sprintf("h%dd%d", h, d), Kind: DPU, Of: host.Name}
			m.OnPath = dpus == 1 && hosts > 1 && rapid.Bool().Draw(t, "on path")
			all = append(all, m)
		}
	}
	return all
}

// TestProfiles: the built-in profiles contain the study's values, with their sources.
func TestProfiles(t *testing.T) {
	want := map[string]Profile{
		"bf1": {Cores: 16, CoreStrength: 2.25 / 8.7, LinkGbps: 100},
		"bf2": {Cores: 8, CoreStrength: 2.09 / 8.7, LinkGbps: 200},
		"bf3": {Cores: 8, CoreStrength: 4.98 / 8.7, LinkGbps: 400},
	}
	if !slices.Equal(Profiles(), []string{"bf1", "bf2", "bf3"}) {
		t.Errorf("built in: %v", Profiles())
	}
	for name, w := range want {
		p := must.Get(LoadProfile(name))(t)
		if p.Name != name || p.Cores != w.Cores || math.Abs(p.CoreStrength-w.CoreStrength) > 0.001 ||
			p.LinkGbps != w.LinkGbps {
			t.Errorf("%+v, want %+v", p, w)
		}
		for key, source := range p.Sources {
			if !strings.HasPrefix(source, "study ") {
				t.Errorf("%s: %s: source %q", name, key, source)
			}
		}
	}
}

// TestProfileRefused: a profile with missing or impossible values is refused.
func TestProfileRefused(t *testing.T) {
	const (
		cores    = "cores: {value: 8, source: x}\n"
		strength = "core_strength: {value: 0.5, source: x}\n"
	)
	for text, want := range map[string]string{
		"":    "cores: found 0",
		cores: "core_strength: found 0",
		"cores: {value: 2.5, source: x}\n" + strength:                 "cores: found 2.5",
		"cores: {value: .nan, source: x}\n" + strength:                "cores: found NaN",
		"cores: {value: 1e300, source: x}\n" + strength:               "cores: found 1e+300",
		cores + "core_strength: {value: 1.1, source: x}\n":            "core_strength: found 1.1, allowed: 0.01 to 1",
		cores + "core_strength: {value: 0.5}\n":                       "core_strength: found no source",
		cores + strength + "link_gbps: {value: -1, source: x}\n":      "link_gbps: found -1",
		cores + strength + "clock: {value: 3, source: x}\n":           "[3:1] unknown field",
		"cores: 8\n" + strength:                                       "[1:8]",
		cores + strength + "# " + strings.Repeat("x", profileBytes+1): "bytes, allowed: at most 65536",
	} {
		path := filepath.Join(t.TempDir(), "mine.yaml")
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
		if _, err := LoadProfile(path); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
	if _, err := LoadProfile("./none.yaml"); err == nil {
		t.Error("read a file that is not there")
	}
}

func FuzzProfile(f *testing.F) {
	for _, name := range Profiles() {
		data, _ := builtIn.ReadFile("profiles/" + name + ".yaml")
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parseProfile("fuzz.yaml", data)
		if err != nil {
			return
		}
		if c := p.cpus(p.Cores); !(c > 0) || p.cpus(1) > 1 || p.LinkGbps < 0 {
			t.Errorf("%+v", p)
		}
	})
}
