package foreign

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
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
