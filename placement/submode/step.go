package submode

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Step is a command on the node.
type Step struct {
	Says string   // what it is for
	Run  []string // the command; nil: there is only something to take back later
	// Want judges its output; nil: any will do.
	Want func(out string) error
	// Within is how long Want may take to come true, with the command repeated; 0: once.
	Within time.Duration
	// Undo is the command that takes it back; nil: nothing has to be.
	Undo []string
	// Port is the interface that Undo is about; "": none. Another one of this name is left alone.
	Port string
	// Found is a command whose output, from before Run, takes the place of the word AsFound in Undo.
	// Sets is what it prints after Run. If it printed that before, there is nothing to take back.
	// If it prints something else when all is undone, somebody has changed it since, and it is left
	// alone.
	Found []string
	Sets  string
	// Else is what to do where it fails.
	Else string
}

// AsFound stands in an Undo for what Found printed.
const AsFound = "AS_FOUND"

// glance is how often a step that may take its time is repeated.
const glance = 50 * time.Millisecond

func (s *Step) do(ctx context.Context, n Node) error {
	if s.Run == nil {
		return nil
	}
	for end := time.Now().Add(s.Within); ; {
		out, err := n.Run(ctx, s.Run)
		if err == nil && s.Want != nil {
			err = s.Want(strings.TrimSpace(out))
		}
		if err == nil || ctx.Err() != nil || time.Now().After(end) {
			return s.explain(n, err)
		}
		time.Sleep(glance)
	}
}

func (s *Step) explain(n Node, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("node %s: %s: %w", n.Name, s.Says, err)
	if s.Else != "" {
		err = fmt.Errorf("%w\nTo do: %s", err, s.Else)
	}
	return err
}

// wayBack is the step's undo, with what is found now; nil: there is nothing to take back.
func (s *Step) wayBack(ctx context.Context, n Node) (*back, error) {
	switch {
	case s.Undo == nil:
		return nil, nil
	case s.Found == nil:
		return &back{Run: s.Undo, Port: s.Port}, nil
	}
	out, err := n.Run(ctx, s.Found)
	if err != nil {
		return nil, s.explain(n, fmt.Errorf("see how it is now: %w", err))
	}
	found := strings.TrimSpace(out)
	if found == s.Sets {
		return nil, nil
	}
	b := &back{Port: s.Port, Found: s.Found, Sets: s.Sets}
	for _, word := range s.Undo {
		b.Run = append(b.Run, strings.ReplaceAll(word, AsFound, found))
	}
	return b, nil
}

// all does steps in their order, until one fails.
func all(ctx context.Context, n Node, steps []Step) error {
	for i := range steps {
		if err := steps[i].do(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// contains wants a text in the output.
func contains(text string) func(string) error {
	return func(out string) error {
		if !strings.Contains(out, text) {
			return fmt.Errorf("found %q, allowed: with %q in it", shorten(out), text)
		}
		return nil
	}
}

// is wants one of some outputs.
func is(allowed ...string) func(string) error {
	return func(out string) error {
		for _, a := range allowed {
			if out == a {
				return nil
			}
		}
		return fmt.Errorf("found %q, allowed: %s", shorten(out), strings.Join(allowed, ", "))
	}
}

// nothing wants no output.
func nothing(out string) error {
	if out != "" {
		return errors.New("found " + shorten(out))
	}
	return nil
}

func shorten(text string) string {
	const most = 300
	if len(text) > most {
		return text[:most] + " …"
	}
	return text
}

// sh is a command of a shell, with its arguments as "$1" and so on.
func sh(script string, args ...string) []string {
	return append([]string{"sh", "-c", strings.TrimSpace(script), "sh"}, args...)
}
