package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"dpukv/internal/test/subject"
)

// child is a process with one subject.
type child struct {
	of    *found
	cmd   *exec.Cmd
	stdin io.Closer
	file  *os.File
	in    *json.Encoder
	out   *json.Decoder
	said  *bytes.Buffer // by the test; complete when it has ended
}

// startChild starts a subject. It is ready when it has said hello.
func startChild(ctx context.Context, of *found, plant string) (*child, error) {
	cmd := exec.CommandContext(ctx, of.binary, "-test.run", "^TestSubjects$", "-test.timeout", "0")
	cmd.Dir = of.dir
	cmd.Env = append(os.Environ(), subject.Env+"="+of.Name, subject.PlantEnv+"="+plant)
	said := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = said, os.Stderr
	cmd.WaitDelay = 10 * time.Second
	// A child that is stopped would outlive this process.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	cmd.ExtraFiles = []*os.File{w} // subject.AnswerFD
	if err := cmd.Start(); err != nil {
		r.Close()
		return nil, err
	}
	return &child{of, cmd, stdin, r, json.NewEncoder(stdin), json.NewDecoder(r), said}, nil
}

// hello waits until the child is ready.
func (c *child) hello() (h subject.Hello, err error) {
	if err = c.out.Decode(&h); err == nil {
		err = h.Check()
	}
	return h, c.explain(err)
}

// slice does a slice. A subject that polls runs only meanwhile.
func (c *child) slice(s subject.Slice) (a subject.Answer, err error) {
	if err := c.signal(syscall.SIGCONT); err != nil {
		return a, c.explain(err)
	}
	if err = c.in.Encode(&s); err == nil {
		err = c.out.Decode(&a)
	}
	if err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	return a, c.explain(errors.Join(err, c.signal(syscall.SIGSTOP)))
}

func (c *child) signal(s syscall.Signal) error {
	if !c.of.Polls {
		return nil
	}
	return c.cmd.Process.Signal(s)
}

func (c *child) explain(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		_ = c.cmd.Wait()
		err = fmt.Errorf("it has ended: %s", bytes.TrimSpace(c.said.Bytes()))
	}
	return fmt.Errorf("%s of %s: %w", c.of.Name, strings.TrimSuffix(c.of.binary, ".test"), err)
}

// end has the child end.
func (c *child) end() {
	_ = c.cmd.Process.Signal(syscall.SIGCONT)
	_ = c.stdin.Close()
	_ = c.cmd.Wait()
	_ = c.file.Close()
}
