package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
)

// process is an attack in a process of its own. It gets a CPU only while the honest client does not
// need it.
type process struct {
	cmd *exec.Cmd
	end io.Closer // of its stdin
	out io.Reader
}

func startAttack(store, name, addr string, connections int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command("nice", "-n", "19", "taskset", "-c", "1", self, "-store", store,
		"-connections", strconv.Itoa(connections), "-attack", addr, name)}
	p.cmd.Stderr = os.Stderr
	if p.end, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, p.cmd.Start()
}

// tally is the report of an attack at its end.
type tally struct{ Held, Opened int }

func (p *process) stop() (held, opened int, err error) {
	var t tally
	_ = p.end.Close() // it may have ended by itself, which Wait tells
	if err = json.NewDecoder(p.out).Decode(&t); err == nil {
		err = p.cmd.Wait()
	}
	return t.Held, t.Opened, err
}

// attackUntilTold is the main function of that process.
func attackUntilTold(attacks []attack, name, addr string, connections int) error {
	i := slices.IndexFunc(attacks, func(a attack) bool { return a.name == name })
	if i < 0 {
		return fmt.Errorf("no attack %q", name)
	}
	s := runAttack(addr, attacks[i], connections)
	_, _ = io.Copy(io.Discard, os.Stdin) // its end is all that matters
	held, opened := s.stop()
	for _, why := range s.reasons() {
		fmt.Fprintf(os.Stderr, "hostile: %s: clients ended with: %s\n", name, why)
	}
	return json.NewEncoder(os.Stdout).Encode(tally{held, opened})
}
