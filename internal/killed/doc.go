// Package killed finds the reason of a SIGKILL, which leaves no message of its own. It compares the
// kernel's count of out-of-memory kills (/proc/vmstat, oom_kill) before and after.
package killed
