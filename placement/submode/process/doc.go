// Package process knows processes on a node by their PID files: whether they run, how they are
// stopped, and what CPU time they used. The file may be stale and its PID another process's by now,
// so a process has to have a word of its own in its arguments.
package process
