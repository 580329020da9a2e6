package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
)

// server is a running dpukv serve.
type server struct {
	Addr string `json:"addr"`
	cmd  *exec.Cmd
}

// The devices of HERD's ends. Each loopback address is a device of its own.
const (
	serverDevice  = "softroce:127.0.0.1"
	honestDevice  = "softroce:127.0.0.2"
	hostileDevice = "127.0.0.3"
)

func startServer(dpukv, store string) (*server, error) {
	args := []string{
		"serve", store, "--listen", "127.0.0.1:7891", "--json", "--cpus", "0",
		"--items", "200000", "--memory", "64MiB",
	}
	if store == "herd" {
		args = append(args, "--device", serverDevice)
	}
	s := &server{cmd: exec.Command(dpukv, args...)}
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, s)
	}
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("the server's first line %q: %w", line, err)
	}
	return s, nil
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	_ = s.cmd.Wait()
}

var peak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMiB is the server's peak resident memory.
func (s *server) peakMiB() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	found := peak.FindSubmatch(text)
	if err != nil || found == nil {
		return 0
	}
	kb, _ := strconv.Atoi(string(found[1])) // the expression lets only digits through
	return kb >> 10
}

// point is the output of a load.
type point struct {
	P50Ns float64 `json:"latency_p50_ns"`
	P99Ns float64 `json:"latency_p99_ns"`
}

// load is the honest client. It has a fixed rate, so that latencies can be compared.
func (s *server) load(dpukv, store string) (*point, error) {
	args := []string{
		"load", "--store", store, "--server", s.Addr, "--json", "--cpus", "1", "--keys", "100000",
		"--rate", "100000", "--get-ratio", "0.95", "--duration", "3s",
	}
	if store == "herd" {
		args = append(args, "--device", honestDevice)
	}
	cmd := exec.Command(dpukv, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s%s", err, said.Bytes(), out)
	}
	p := new(point)
	return p, json.Unmarshal(out, p)
}
