package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dpukv/kvs/stores"
	"dpukv/placement/sweep"
)

// noKeys are the flags of load, serve and sweep that no key of a sweep file means: what a flag of
// the process says, and where it runs. A flag that a key means has the key's name instead.
var noKeys = strings.Fields("server listen cpus json timeout check-hash device gid-index mtu items " +
	"partitions memory faithful slot-bytes max-connections max-clients pages buffers file testbed out only dry-run " +
	"evict-others " +
	"serve quick in-guest hist yes keep set password-file tls-ca tls-cert tls-insecure tls-key tls-server-name " +
	"proxy half store beside fail-if find-rate resume")

// noFlags are the keys of sweep files that these commands have no flag for.
var noFlags = strings.Fields("placement submode filter measure repeats neighbour build")

func commandsOfLoads() []*cobra.Command {
	commands := []*cobra.Command{newLoadCommand(), newSweepCommand()}
	for _, st := range stores.All() {
		commands = append(commands, newServeStoreCommand(&st))
	}
	return commands
}

// One thing has one name: a flag is its key in a sweep file, with "-" for "_".
func TestFlagsAreNamedAsSweepKeys(t *testing.T) {
	keys := map[string]bool{}
	for _, k := range sweep.Keys() {
		keys[strings.ReplaceAll(k.Name, "_", "-")] = true
	}
	left := maps.Clone(keys)
	for _, cmd := range commandsOfLoads() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			delete(left, f.Name)
			if f.Hidden == (keys[f.Name] || slices.Contains(noKeys, f.Name)) {
				t.Errorf("%s --%s: found no such key of a sweep file, allowed: the name of a key, or a "+
					"flag in noKeys", cmd.CommandPath(), f.Name)
			}
		})
	}
	for _, name := range noFlags {
		if !left[name] {
			t.Errorf("%s: found no such key without a flag; take it out of noFlags", name)
		}
		delete(left, name)
	}
	if len(left) > 0 {
		t.Errorf("the keys %v: found no flag of that name, allowed: one, or a place in noFlags",
			slices.Sorted(maps.Keys(left)))
	}
}

// Each former command names one of today, with its flags, and help has only the latter.
func TestFormerCommandsAreThoseOfToday(t *testing.T) {
	root := newRootCommand()
	for name, now := range formerCommands {
		var said strings.Builder
		args := commandNow([]string{name, "x"}, &said)
		cmd, rest, err := root.Find(args)
		if err != nil || !strings.HasPrefix("dpukv "+now, cmd.CommandPath()) || cmd == root {
			t.Errorf("%s: found %s, %q, %v, want %s", name, cmd.CommandPath(), rest, err, now)
		}
		want := "dpukv " + name + " is now dpukv " + now + "; the old name goes with version 0.2\n"
		if said.String() != want || args[len(args)-1] != "x" {
			t.Errorf("%s: got %q, %q", name, said.String(), args)
		}
		if cmd, _, _ := root.Find([]string{name}); cmd != root {
			t.Errorf("%s: found a command of this name, allowed: only in formerCommands", name)
		}
	}
}

// One flag has one shorthand: each --out is -o, too.
func TestOutIsShort(t *testing.T) {
	for _, cmd := range allCommands(newRootCommand()) {
		if f := cmd.Flags().Lookup("out"); f != nil && f.Shorthand != "o" {
			t.Errorf("%s --out: found the shorthand %q, want o", cmd.CommandPath(), f.Shorthand)
		}
	}
}

func allCommands(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		list = append(list, allCommands(sub)...)
	}
	return list
}
