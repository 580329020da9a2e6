package foreign

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// MaxOutput is the limit for a node command's stdout. The longest lists that dpukv requests are
// some megabytes.
const MaxOutput = 16 << 20

// Output takes a command's stdout, up to MaxOutput. A longer output fails, which ends the command:
// nobody reads it any more.
type Output struct {
	// Kill ends a command whose output is too long, also if it ignores that nobody reads. nil: the
	// owner ends it.
	Kill func()

	buffer bytes.Buffer
	full   bool
}

// Write implements [io.Writer].
func (o *Output) Write(b []byte) (int, error) {
	if o.buffer.Len()+len(b) > MaxOutput {
		if o.full = true; o.Kill != nil {
			o.Kill()
		}
		return 0, o.Err()
	}
	return o.buffer.Write(b)
}

// Err returns an error if the output was longer.
func (o *Output) Err() error {
	if o.full {
		return &TooMuch{"its output", MaxOutput}
	}
	return nil
}

// Bytes is the output.
func (o *Output) Bytes() []byte { return o.buffer.Bytes() }

// Run is [exec.Cmd.Output] for a command that may write without end, or leave its output open.
func Run(cmd *exec.Cmd) ([]byte, error) {
	var stderr Tail
	if cmd.Stderr == nil {
		cmd.Stderr = &stderr
	}
	out, err := new(Output).of(cmd)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		exit.Stderr = []byte(stderr.String())
	}
	return out, err
}

// RunCombined is [exec.Cmd.CombinedOutput] for such a command.
func RunCombined(cmd *exec.Cmd) ([]byte, error) {
	var out Output
	cmd.Stderr = &out
	return out.of(cmd)
}

// of runs a command that writes to the output.
func (o *Output) of(cmd *exec.Cmd) ([]byte, error) {
	o.Kill = func() { _ = cmd.Process.Kill() } // fails only if it has ended
	cmd.Stdout = o
	cmd.WaitDelay = cmp.Or(cmd.WaitDelay, time.Second) // a grandchild may hold the pipes open
	err := cmd.Run()
	if full := o.Err(); full != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(cmd.Path), full)
	}
	return o.Bytes(), err
}

// maxTail is how much of a command's stderr is kept.
const maxTail = 64 << 10

// Tail keeps the end of a command's stderr.
type Tail struct {
	mu      sync.Mutex
	kept    []byte
	dropped int // bytes before them
}

// Write implements [io.Writer]. It never fails.
func (t *Tail) Write(b []byte) (int, error) {
	t.Keep(b, maxTail)
	return len(b), nil
}

// Keep is Write with another limit on the kept bytes.
func (t *Tail) Keep(b []byte, most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	whole := len(t.kept) + len(b)
	b = b[max(0, len(b)-most):]
	if extra := len(t.kept) + len(b) - most; extra > 0 {
		t.kept = t.kept[:copy(t.kept, t.kept[extra:])]
	}
	t.kept = append(t.kept, b...)
	t.dropped += whole - len(t.kept)
}

// Shown is the kept text for a message. It says what is missing before the text.
func (t *Tail) Shown() string {
	text := t.String()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dropped == 0 {
		return strings.TrimSpace(text)
	}
	cut := 0
	for cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut++
	}
	return fmt.Sprintf("(%d bytes left out) … %s", t.dropped+cut, strings.TrimSpace(text[cut:]))
}

// String is the kept text.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
