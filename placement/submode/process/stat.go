package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"dpukv/placement/submode/step"
)

// userHz is the unit of CPU times in /proc (proc_pid_stat(5)): 100 a second on every Linux of a DPU
// or host.
const userHz = 100

// Stat is the content of /proc/PID/stat.
type Stat struct {
	// PID and Start identify a process. Start is in ticks since the machine's start.
	PID, Start string
	// CPU is the CPU time in user and kernel.
	CPU time.Duration
}

// Key returns PID@START.
func (s *Stat) Key() string { return s.PID + "@" + s.Start }

// Self returns the stat of this process; zero if it is unknown.
func Self() (s Stat) {
	text, err := os.ReadFile("/proc/self/stat")
	if err == nil {
		s, err = ParseStat(string(text))
	}
	if err != nil {
		return Stat{}
	}
	return s
}

// ParseStat reads /proc/PID/stat. A zombie is an error.
func ParseStat(text string) (Stat, error) {
	end := strings.LastIndexByte(text, ')') // the name may have blanks and brackets in it
	if end < 0 {
		return Stat{}, fmt.Errorf("/proc/PID/stat: found %q", step.Shorten(text))
	}
	pid, _, _ := strings.Cut(text, " ")
	fields := strings.Fields(text[end+1:])
	// The manual counts fields from 1. The first one here is the third.
	const utime, stime, start = 14 - 3, 15 - 3, 22 - 3
	if len(fields) <= start {
		return Stat{}, fmt.Errorf("/proc/PID/stat: found %q", step.Shorten(text))
	}
	if fields[0] == "Z" {
		return Stat{}, errors.New("it is dead, and its parent has not noticed")
	}
	s := Stat{PID: pid, Start: fields[start]}
	for _, i := range []int{utime, stime} {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return Stat{}, fmt.Errorf("/proc/PID/stat: %w", err)
		}
		s.CPU += time.Duration(n) * time.Second / userHz
	}
	return s, nil
}
