package step

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Step is a command on the node.
type Step struct {
	Purpose string   // what it is for, in a plan and in errors
	Run     []string // the command; nil: there is only something to take back later
	// Expect checks its output; nil: any output will do.
	Expect func(out string) error
	// Within is how long the command is repeated until Expect succeeds; 0: it runs once.
	Within time.Duration
	// Undo is the command that undoes the step; nil: there is nothing to undo.
	Undo []string
	// Port is the interface that Undo changes; "": none. Another interface of this name is left
	// alone.
	Port string
	// State is a command. Its output from before Run replaces the word AsFound in Undo.
	State []string
	// Sets is the output of State after Run. If State printed that before Run, nothing is undone.
	// If State prints something else at the undo, somebody has changed the setting, and it is left
	// alone.
	Sets string
	// Restore says that Undo restores the output of State in any case. The step itself keeps the
	// setting, but a program that it starts may change it.
	Restore bool
	// Advice tells what to do if the step fails.
	Advice string
}

// AsFound stands for the output of State in an Undo.
const AsFound = "AS_FOUND"

// RetryInterval is the pause between the repeats of a step with Within.
const RetryInterval = 50 * time.Millisecond

// Do runs the step. Its error names the node and the purpose, and ends with the advice.
func (s *Step) Do(ctx context.Context, n Node) error {
	return s.explain(n, s.Try(ctx, n, s.Within))
}

// Try runs the step, repeatedly for a time. Its error is that of the command or of Expect.
func (s *Step) Try(ctx context.Context, n Node, within time.Duration) error {
	if s.Run == nil {
		return nil
	}
	for end := time.Now().Add(within); ; {
		out, err := n.Run(ctx, s.Run)
		if err == nil && s.Expect != nil {
			err = s.Expect(strings.TrimSpace(out))
		}
		if err == nil || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
		time.Sleep(RetryInterval)
	}
}

func (s *Step) explain(n Node, err error) error {
	if err == nil {
		return nil
	}
	return Advise(n.About(s.Purpose, err), s.Advice)
}

// Record returns the step's undo record, with the current state; nil: there is nothing to undo.
func (s *Step) Record(ctx context.Context, n Node) (*UndoRecord, error) {
	switch {
	case s.Undo == nil:
		return nil, nil
	case s.State == nil:
		return &UndoRecord{Run: s.Undo, Port: s.Port}, nil
	}
	out, err := n.Run(ctx, s.State)
	if err != nil {
		return nil, s.explain(n, fmt.Errorf("see how it is now: %w", err))
	}
	state := strings.TrimSpace(out)
	u := &UndoRecord{Port: s.Port}
	if !s.Restore {
		if state == s.Sets {
			return nil, nil
		}
		u.Found, u.Sets = s.State, s.Sets
	}
	for _, word := range s.Undo {
		u.Run = append(u.Run, strings.ReplaceAll(word, AsFound, state))
	}
	return u, nil
}

// DoAll runs steps in their order, until one fails.
func DoAll(ctx context.Context, n Node, steps []Step) error {
	for i := range steps {
		if err := steps[i].Do(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// Program expects a program in the PATH. pkg is its Debian package.
func Program(name, pkg string) Step {
	return Step{
		Purpose: name, Run: Shell(`command -v "$1"`, name),
		Advice: "install Debian's " + pkg + ", or what your system calls it",
	}
}

// UndoRecord is a line of a journal: the undo of one step.
type UndoRecord struct {
	// Run is the command.
	Run []string
	// Port is the interface that Run changes; "": none. Run does not run on another interface of
	// this name.
	Port string `json:",omitempty"`
	// Found is a command. Run runs only while Found prints Sets. Otherwise somebody has changed the
	// setting.
	Found []string `json:",omitempty"`
	Sets  string   `json:",omitempty"`
}

// Parse reads a line. ok is false if the line is empty or truncated: its step never ran.
func (u *UndoRecord) Parse(line string) (ok bool) {
	return json.Unmarshal([]byte(line), u) == nil && len(u.Run) > 0
}

// Do undoes the step, if its setting is still there.
func (u *UndoRecord) Do(ctx context.Context, n Node) error {
	if u.Found != nil {
		out, err := n.Run(ctx, u.Found)
		if err != nil && !Vanished(err) {
			return err
		}
		if err != nil || strings.TrimSpace(out) != u.Sets {
			return nil
		}
	}
	if _, err := n.Run(ctx, u.Run); err != nil && !Vanished(err) {
		return err
	}
	return nil
}

// Vanished reports whether a command failed because its object is gone. A port that vanished took
// its settings along.
func Vanished(err error) bool {
	return slices.ContainsFunc([]string{
		"Cannot find device", "does not exist", "No such device", "no device matches",
	}, func(said string) bool { return strings.Contains(err.Error(), said) })
}
