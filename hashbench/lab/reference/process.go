package reference

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"dpukv/hashbench"
	"dpukv/hashbench/measure"
	"dpukv/hashbench/result"
)

// Process is the running program. Only one goroutine at a time may use it.
type Process struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	names    []string
	prepared *measure.Input // what the program has lengths and places of
}

// Start starts the program, which inherits the calling thread's CPUs. A pinned caller therefore
// pins it.
func Start(path string) (*Process, error) {
	p := &Process{cmd: exec.Command(path)}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	names, err := p.ask("list")
	if err != nil {
		_ = p.Close()
		return nil, err
	}
	p.names = strings.Fields(names)
	return p, nil
}

// Close ends the program.
func (p *Process) Close() error {
	_ = p.in.Close() // it ends with its input
	return p.cmd.Wait()
}

// Has reports whether there is a reference for a function.
func (p *Process) Has(name string) bool { return slices.Contains(p.names, name) }

// ask sends a line and returns the answer line.
func (p *Process) ask(format string, args ...any) (string, error) {
	line := fmt.Sprintf(format, args...)
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		return "", fmt.Errorf("the reference program: %q: %w", line, err)
	}
	answer, err := p.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the reference program: %q: %w", line, err)
	}
	answer = strings.TrimSpace(answer)
	if strings.HasPrefix(answer, "what?") {
		return "", fmt.Errorf("the reference program does not know %q", line)
	}
	return answer, nil
}

// Digest is [hashbench.Func.Digest] of the reference.
func (p *Process) Digest(name string) (uint64, error) {
	answer, err := p.ask("digest %s", name)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(answer, 16, 64)
}

// Contender is the reference of a function, to be timed beside Go's.
func (p *Process) Contender(f hashbench.Func) measure.Contender {
	c := p.contender(f.Name)
	c.Subject = result.Subject{
		Function: f.Name + " in C", Family: f.Family, Bits: f.Bits,
		Module: "reference", Variant: "c",
	}
	return c
}

func (p *Process) contender(name string) measure.Contender {
	return measure.Contender{Round: func(in *measure.Input, calls int) (int64, error) {
		if p.prepared != in {
			if _, err := p.ask("prepare %d %d %d 1", in.MinBytes, in.MaxBytes,
				in.Align); err != nil {
				return 0, err
			}
			p.prepared = in
		}
		answer, err := p.ask("round %s %s %d", name, in.Mode, calls)
		if err != nil {
			return 0, err
		}
		return strconv.ParseInt(answer, 10, 64)
	}}
}

// Loops are the costs of the program's own loops, for results of one and of two words.
func (p *Process) Loops() (one, two *measure.Loop) {
	loop := func(words int, suffix string) *measure.Loop {
		return &measure.Loop{
			Words: words, Empty: p.contender("empty" + suffix),
			Chains: [3]measure.Contender{
				p.contender("chain4" + suffix),
				p.contender("chain8" + suffix), p.contender("chain16" + suffix),
			},
		}
	}
	return loop(1, ""), loop(2, "-128")
}
