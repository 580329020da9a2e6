package foreign

import (
	"bytes"
	"fmt"
	"sync"
)

// MaxOutput is what a command on a node may write to its stdout. The longest lists that dpukv asks
// for are some megabytes.
const MaxOutput = 64 << 20

// Output takes a command's stdout, up to MaxOutput. It fails after that, which ends the command.
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

// Err tells whether there was more.
func (o *Output) Err() error {
	if o.full {
		return fmt.Errorf("found more output, allowed: at most %d bytes", MaxOutput)
	}
	return nil
}

// Bytes are what came.
func (o *Output) Bytes() []byte { return o.buffer.Bytes() }

// maxTail is how much of a command's stderr is kept.
const maxTail = 64 << 10

// Tail keeps the last that a command said.
type Tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write implements [io.Writer]. It never fails.
func (t *Tail) Write(b []byte) (int, error) {
	t.Keep(b, maxTail)
	return len(b), nil
}

// Keep is Write for who wants to keep another number of bytes at most.
func (t *Tail) Keep(b []byte, most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b = b[max(0, len(b)-most):]
	if extra := len(t.kept) + len(b) - most; extra > 0 {
		t.kept = t.kept[:copy(t.kept, t.kept[extra:])]
	}
	t.kept = append(t.kept, b...)
}

// String is what was kept.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
