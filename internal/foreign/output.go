package foreign

import (
	"bytes"
	"fmt"
	"sync"
)

// MaxOutput is the limit for a node command's stdout. The longest lists that dpukv requests are
// some megabytes.
const MaxOutput = 64 << 20

// Output takes a command's stdout, up to MaxOutput. A longer output fails, which ends the command.
type Output struct {
	buffer bytes.Buffer
	full   bool
}

// Write implements [io.Writer].
func (o *Output) Write(b []byte) (int, error) {
	if o.buffer.Len()+len(b) > MaxOutput {
		o.full = true
		return 0, o.Err()
	}
	return o.buffer.Write(b)
}

// Err returns an error if the output was longer.
func (o *Output) Err() error {
	if o.full {
		return fmt.Errorf("found too much output, allowed: at most %d bytes", MaxOutput)
	}
	return nil
}

// Bytes is the output.
func (o *Output) Bytes() []byte { return o.buffer.Bytes() }

// maxTail is how much of a command's stderr is kept.
const maxTail = 64 << 10

// Tail keeps the end of a command's stderr.
type Tail struct {
	mu   sync.Mutex
	kept []byte
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
	b = b[max(0, len(b)-most):]
	if extra := len(t.kept) + len(b) - most; extra > 0 {
		t.kept = t.kept[:copy(t.kept, t.kept[extra:])]
	}
	t.kept = append(t.kept, b...)
}

// String is the kept text.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
