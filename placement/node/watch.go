package node

import (
	"os"

	"dpukv/internal/cpu"
	"dpukv/internal/packets"
	"dpukv/internal/tcpinfo"
	"dpukv/kvs"
)

// watcher reads the traffic and the threads of a server's process.
type watcher struct {
	pid     int  // 0: not known
	program bool // a program other than dpukv, which does not report its threads
	srv     kvs.Server
}

// newWatcher watches a server that was started here. Other servers may be on another machine.
func newWatcher(srv kvs.Server, here bool) watcher {
	w := watcher{srv: srv}
	if here {
		w.pid, w.program = srv.Facts().PID, true
		if w.pid == 0 {
			w.pid, w.program = os.Getpid(), false
		}
	}
	return w
}

// threads returns the threads of a program that was started here.
func (w *watcher) threads() []cpu.Thread {
	if !w.program {
		return nil
	}
	list, err := cpu.ThreadsOf(w.pid)
	if err != nil {
		return nil // it has ended, and the point fails
	}
	return list
}

// moved returns the traffic so far of the process's open connections, and of its device. It returns
// nothing where the kernel does not tell.
func (w *watcher) moved() (m kvs.Moved) {
	if own, ok := w.srv.(interface{ Moved() kvs.Moved }); ok {
		m = own.Moved()
	}
	if w.pid == 0 {
		return m
	}
	list, err := tcpinfo.Of(w.pid)
	if err != nil {
		return m
	}
	for i := range list {
		s := &list[i]
		m.Sockets.Add(&packets.Counts{
			Sources:     1,
			SentPackets: uint64(s.Segs_out), ReceivedPackets: uint64(s.Segs_in),
			SentDataPackets: uint64(s.Data_segs_out), ReceivedDataPackets: uint64(s.Data_segs_in),
			ResentPackets: uint64(s.Total_retrans), OutOfOrderPackets: uint64(s.Rcv_ooopack),
			SentBytes: s.Bytes_sent, AckedBytes: s.Bytes_acked, ResentBytes: s.Bytes_retrans,
			ReceivedBytes: s.Bytes_received,
		})
	}
	return m
}
