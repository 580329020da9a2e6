package emulate

import (
	"context"
	"errors"
)

// Lab is a running testbed. Its methods may be called by several goroutines.
type Lab struct{}

var errSoon = errors.New("emulate: being built")

// Start makes a testbed and returns when all its machines reach each other.
func Start(ctx context.Context, spec Spec) (*Lab, error) { return nil, errSoon }

// Argv is the command that runs argv on a machine: within its namespaces and its share of CPU time.
func (l *Lab) Argv(machine string, argv []string) ([]string, error) { return nil, errSoon }

// Address is where the others reach a machine; "" for an on-path DPU.
func (l *Lab) Address(machine string) string { return "" }

// SetCores gives a machine the CPU time of n of its profile's cores, at most all, and returns it in CPUs; 0: no
// limit. The kernel limits a group of processes, not a core: to have each of n busy threads run at a core's
// strength, call it with n before they start.
func (l *Lab) SetCores(machine string, n int) (quotaCPUs float64, err error) { return 0, errSoon }

// Counters are those of a machine's interface (Port for an on-path DPU).
func (l *Lab) Counters(machine string) (Counters, error) { return Counters{}, errSoon }

// AllCounters are those of every interface, by "machine/interface"; the wire between the sides is
// "card-HOST/wire" for each host.
func (l *Lab) AllCounters() (map[string]Counters, error) { return nil, errSoon }

// Facts tell what was made.
func (l *Lab) Facts() Facts { return Facts{} }

// CutOff takes a machine's link down, as if its cable were pulled; Restore plugs it in again.
func (l *Lab) CutOff(machine string) error { return errSoon }

// Restore undoes CutOff.
func (l *Lab) Restore(machine string) error { return errSoon }

// Done is closed when the lab is gone, by Close or by accident.
func (l *Lab) Done() <-chan struct{} { return nil }

// Close ends all processes on the machines and takes the machines away. It may be called more than once.
func (l *Lab) Close() error { return nil }

// LoadProfile reads a profile: a file if name has a slash or ends in .yaml, else a built-in one (bf1, bf2, bf3).
func LoadProfile(name string) (*Profile, error) { return nil, errSoon }

// Keep is the life of the process that holds a lab: the hidden subcommand "lab". It ends, and the lab with it, when
// its standard input does.
func Keep(ctx context.Context) error { return errSoon }
