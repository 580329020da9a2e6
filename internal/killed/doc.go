// Package killed says why a process got SIGKILL, which itself has no last words: from the kernel's
// count of processes that it ended for want of memory (/proc/vmstat, oom_kill), before and after.
package killed
