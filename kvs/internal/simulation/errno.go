package simulation

import (
	"os"

	"golang.org/x/sys/unix"
)

// errnos are the errors of each system call in the manual pages, without those for bugs of the
// caller.
var errnos = map[string][]unix.Errno{
	"accept4": {
		unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM, unix.ECONNABORTED, unix.EINTR,
		unix.EPERM, unix.EPROTO, unix.ENETDOWN, unix.EHOSTUNREACH, unix.ENETUNREACH,
	},
	"dup":        {unix.EMFILE, unix.EINTR},
	"epoll_ctl":  {unix.ENOMEM, unix.ENOSPC},
	"read":       {unix.ECONNRESET, unix.ETIMEDOUT, unix.EHOSTUNREACH, unix.EINTR, unix.ENOMEM},
	"write":      {unix.EPIPE, unix.ECONNRESET, unix.ENOBUFS, unix.ENOMEM, unix.ETIMEDOUT},
	"setsockopt": {unix.ENOBUFS, unix.ENOMEM, unix.EINVAL},
	"sendmmsg": {
		unix.EACCES, unix.EMSGSIZE, unix.ENETUNREACH, unix.EHOSTUNREACH, unix.EPERM, unix.ENOBUFS,
		unix.ECONNREFUSED, unix.ENETDOWN, unix.EINVAL, unix.ENOMEM,
	},
	"recvmmsg": {unix.ECONNREFUSED, unix.EHOSTUNREACH, unix.ENETUNREACH, unix.EINTR, unix.ENOMEM},
	"mmap":     {unix.ENOMEM, unix.EAGAIN, unix.EPERM},
	"open":     {unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.EACCES},
}

// Errno mostly returns nil, and sometimes an error of a system call that is listed here.
func (w *World) Errno(call string) error {
	all, ok := errnos[call]
	if !ok {
		panic("simulation: no errors are listed for " + call)
	}
	if !w.OneIn(w.ErrnoOneIn) {
		return nil
	}
	err := os.NewSyscallError(call, all[w.IntN(len(all))])
	w.Note("%v", err)
	return err
}
