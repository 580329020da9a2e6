package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"dpukv/kvs"
)

// TestRefused: a mistake in a request is one that another request would not have.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{
		{errors.New("keys: found 0"), exitUsage},
		{syscall.EADDRINUSE, exitFailed},
		{syscall.EADDRNOTAVAIL, exitFailed},
		{syscall.EACCES, exitFailed},
		{syscall.EPERM, exitFailed},
		{syscall.ENOMEM, exitFailed},
		{syscall.ENOSPC, exitFailed},
		{syscall.EMFILE, exitFailed},
		{syscall.ECONNREFUSED, exitFailed},
		{fs.ErrPermission, exitUsage}, // of no system call
		{&fs.PathError{Op: "open", Path: "a", Err: syscall.EACCES}, exitFailed},
		{&fs.PathError{Op: "open", Path: "a", Err: syscall.ENOENT}, exitUsage},
		{&fs.PathError{Op: "open", Path: "a/b", Err: syscall.ENOTDIR}, exitUsage},
		{&fs.PathError{Op: "mkdir", Path: "a", Err: syscall.EEXIST}, exitUsage},
		{&fs.PathError{Op: "read", Path: "a", Err: syscall.EISDIR}, exitUsage},
		{kvs.NotStarted{Err: errors.New("redis-server is not in PATH")}, exitFailed},
		{context.Canceled, exitFailed},
		{fmt.Errorf("serve: %w", ofFlag("listen", syscall.EADDRINUSE)), exitFailed},
		{fmt.Errorf("serve: %w", ofFlag("cpus", errors.New("cpus: found x"))), exitUsage},
	} {
		for _, err := range []error{usagef("serve: %w", c.err), usagef("a: %w", usagef("b: %w", c.err))} {
			if got := errors.As(err, new(usageError)); got != (c.status == exitUsage) {
				t.Errorf("%v: a mistake in the request: %v, want the status %d", err, got, c.status)
			}
		}
	}
	if err := ofFlag("serve", fmt.Errorf("listen: found %w", syscall.EADDRINUSE)); err.Error() !=
		"--serve: found address already in use" || !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("found %v", err)
	}
}
