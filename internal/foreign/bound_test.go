package foreign

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"

	"dpukv/internal/test/must"
)

// endless repeats a text.
type endless string

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e[i%len(e)]
	}
	return len(p), nil
}

// counted counts what is read.
type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func TestReadAll(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10} {
		got, err := ReadAll(iotest.OneByteReader(strings.NewReader(strings.Repeat("x", n))), "a text", 10)
		if err != nil || len(got) != n {
			t.Errorf("%d bytes: found %d, %v", n, len(got), err)
		}
	}
	r := &counted{endless("x"), 0}
	_, err := ReadAll(r, "a text", 10)
	must.Fail(t, err, "found more bytes in a text, allowed: at most 10 bytes")
	if !Over(err) || r.n > 11 {
		t.Errorf("read %d bytes", r.n)
	}
	if _, err := ReadAll(iotest.ErrReader(errors.New("broken")), "a text", 10); Over(err) {
		t.Errorf("found %v", err)
	}
}

// TestReadLine: what follows a line that is too long is read from its rest on.
func TestReadLine(t *testing.T) {
	r := bufio.NewReaderSize(strings.NewReader("0123456789\n"+strings.Repeat("x", 10)+"yy\nshort\nend"), 16)
	for _, want := range []struct {
		line string
		over bool
		err  error
	}{
		{"0123456789\n", false, nil},
		{"", true, nil},
		{"\n", false, nil},
		{"short\n", false, nil},
		{"end", false, io.EOF},
		{"", false, io.EOF},
	} {
		line, err := ReadLine(r, "a line", 11)
		if string(line) != want.line || Over(err) != want.over || !want.over && err != want.err {
			t.Errorf("found %q, %v, want %q, %v", line, err, want.line, want.err)
		}
	}
	silent, w := io.Pipe() // after as many bytes as a line may have
	go func() { _, _ = w.Write(bytes.Repeat([]byte("x"), 4096)) }()
	if _, err := ReadLine(bufio.NewReader(silent), "a line", 4096); !Over(err) {
		t.Errorf("found %v", err)
	}
	in := &counted{endless("x"), 0}
	_, err := ReadLine(bufio.NewReader(in), "a line", 100)
	must.Fail(t, err, "found more bytes in a line, allowed: at most 100 bytes")
	if in.n > 4096 {
		t.Errorf("read %d bytes, want one buffer", in.n)
	}
}

// TestBudget: each question has the whole bound again.
func TestBudget(t *testing.T) {
	b := NewBudget(endless("INFO\r\n"))
	for range 2 {
		n, err := io.Copy(io.Discard, b)
		must.Fail(t, err, "found more bytes in an answer, allowed: at most 4194304 bytes")
		if n != MaxAnswer {
			t.Errorf("read %d bytes", n)
		}
		b.Ask()
	}
}

func TestValues(t *testing.T) {
	for text, want := range map[string]int{
		`1`: 1, `[1,2,3]`: 4, `{"a":1,"b":[{}]}`: 5, `"a,b{[\",,"`: 1, `["\\",2]`: 3,
	} {
		if got := Values([]byte(text)); got != want {
			t.Errorf("%s: found %d, want %d", text, got, want)
		}
	}
}

// TestRun: a command that writes without end is killed, also if it ignores that nobody reads.
func TestRun(t *testing.T) {
	const forever = `trap "" PIPE TERM; while :; do printf %065536d 0 2>/dev/null; done`
	for name, run := range map[string]func(*exec.Cmd) ([]byte, error){"Run": Run, "RunCombined": RunCombined} {
		_, err := run(exec.CommandContext(t.Context(), "bash", "-c", forever))
		must.Fail(t, err, "bash: found more bytes in its output, allowed: at most 16777216 bytes")
		out, err := run(exec.Command("sh", "-c", "echo out; echo err >&2; exit 3"))
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok || exit.ExitCode() != 3 || !bytes.HasPrefix(out, []byte("out\n")) ||
			name == "Run" && string(exit.Stderr) != "err\n" || name != "Run" && !bytes.Contains(out, []byte("err")) {
			t.Errorf("%s: found %q, %v", name, out, err)
		}
	}
}
