// Package process knows processes on a node by their PID files. It checks whether they run, stops
// them, and reads their CPU time. A file may be stale, and its PID may belong to another process by
// now. So a process must have a unique word in its arguments.
package process
