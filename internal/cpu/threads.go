package cpu

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Thread is one thread of a process.
type Thread struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	CPUNs int64  `json:"cpu_ns"` // used so far, user and system, by the kernel's ticks
}

// ThreadsOf lists the threads of a process that this machine shows. A thread that ends meanwhile is
// left out.
func ThreadsOf(pid int) ([]Thread, error) {
	folder := fmt.Sprintf("/proc/%d/task/", pid)
	tasks, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var list []Thread
	for _, task := range tasks {
		text, err := os.ReadFile(folder + task.Name() + "/stat")
		if err != nil {
			continue
		}
		if t, ok := parseThread(string(text)); ok {
			list = append(list, t)
		}
	}
	return list, nil
}

// parseThread reads a line of proc_pid_stat(5). The name is in parentheses, and may contain some.
func parseThread(text string) (t Thread, ok bool) {
	id, rest, opened := strings.Cut(text, " (")
	end := strings.LastIndexByte(rest, ')')
	if !opened || end < 0 {
		return t, false
	}
	const user, system = 11, 12 // fields after the name, from 0
	fields := strings.Fields(rest[end+1:])
	if len(fields) <= system {
		return t, false
	}
	n, err := strconv.Atoi(id)
	return Thread{n, rest[:end], ticks(fields[user]) + ticks(fields[system])}, err == nil
}

// BusiestOf returns the CPU time of the thread that used most of it between two lists, and that of
// all threads. A thread that is in one list only is left out.
func BusiestOf(before, after []Thread) (most, all int64) {
	was := make(map[int]int64, len(before))
	for _, t := range before {
		was[t.ID] = t.CPUNs
	}
	for _, t := range after {
		if from, ok := was[t.ID]; ok {
			used := max(t.CPUNs-from, 0)
			most, all = max(most, used), all+used
		}
	}
	return most, all
}
