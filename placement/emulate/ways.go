package emulate

import (
	"fmt"
	"slices"

	"dpukv/placement/emulate/keeper"
)

// ways lead onto the machines of a lab.
type ways struct {
	Held          keeper.Held       `json:"held"`
	UserNamespace bool              `json:"user_namespace"`
	Machines      []string          `json:"machines"`
	Addresses     map[string]string `json:"addresses"`
}

// join moves the shell itself into a control group before it becomes the command. The group's file
// may be gone.
const join = `echo $$ >"$0" && exec "$@"`

// Argv returns the command that runs argv on a machine: within its namespaces and its share of CPU
// time.
func (w *ways) Argv(machine string, argv []string) ([]string, error) {
	space, err := w.Namespace(machine)
	if err != nil {
		return nil, err
	}
	var prefix []string
	if group, ok := w.Held.Groups[machine]; ok {
		prefix = append(prefix, "sh", "-c", join, group.Procs)
	}
	prefix = append(prefix, "nsenter", "--net="+space)
	if w.UserNamespace {
		prefix = append(prefix, fmt.Sprintf("--user=/proc/%d/ns/user", w.Held.PID),
			"--preserve-credentials")
	}
	return slices.Concat(prefix, []string{"--"}, argv), nil
}

// Namespace returns a path of a machine's network namespace, for setns(2). The path is valid as
// long as the lab exists.
func (w *ways) Namespace(machine string) (string, error) {
	fd, ok := w.Held.FDs[machine]
	if !ok || !slices.Contains(w.Machines, machine) {
		return "", w.unknown(machine)
	}
	return fmt.Sprintf("/proc/%d/fd/%d", w.Held.PID, fd), nil
}

func (w *ways) unknown(machine string) error {
	return fmt.Errorf("emulated testbed: found machine %q, allowed: %v", machine, w.Machines)
}

// Address returns the address at which the others reach a machine; "" for an on-path DPU.
func (w *ways) Address(machine string) string { return w.Addresses[machine] }
