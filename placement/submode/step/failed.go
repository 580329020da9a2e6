package step

import (
	"errors"
	"fmt"
	"strings"

	"dpukv/internal/foreign"
)

// Failed is the error of a command that failed on a node.
type Failed struct {
	Run    []string
	Stderr string // the end of it
	Stdout string // shortened
	Err    error  // how it ended
}

// Error begins with what the command said, which has the cause. A script is not in it: it would
// hide the cause, and the step's purpose tells more.
func (f *Failed) Error() string {
	command := Quote(f.Run)
	if strings.Contains(command, "\n") {
		command = "a script"
	}
	command = Shorten(command)
	said := strings.TrimSpace(strings.TrimSpace(f.Stderr) + "\n" + f.Stdout)
	if said == "" {
		return fmt.Sprintf("%s: %v", command, f.Err)
	}
	return fmt.Sprintf("%s (%s: %v)", foreign.Ends(said, foreign.MaxReason), command, f.Err)
}

// Unwrap returns how the command ended.
func (f *Failed) Unwrap() error { return f.Err }

// Unreached is the error of a command that did not get to its node.
type Unreached struct {
	Why string // and what to do
	Err error  // how the command ended
}

func (u *Unreached) Error() string { return u.Why }

// Unwrap returns how the command ended.
func (u *Unreached) Unwrap() error { return u.Err }

// About names a node, and what failed there. What failed does not matter if nothing got there.
func (n Node) About(what string, err error) error {
	if _, never := errors.AsType[*Unreached](err); never {
		return fmt.Errorf("node %s: %w", n.Name, err)
	}
	return fmt.Errorf("node %s: %s: %w", n.Name, what, err)
}

// Advise adds what to do, unless an error says it.
func Advise(err error, advice string) error {
	if _, says := errors.AsType[*Unreached](err); says || advice == "" {
		return err
	}
	return fmt.Errorf("%w\nTo do: %s", err, advice)
}
