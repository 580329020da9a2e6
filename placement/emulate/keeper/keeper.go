package keeper

import (
	"context"
	"io"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"os/signal"
	"syscall"
)

// Name is the service's name in calls: "Lab.Up".
const Name = "Lab"

// Run is the process that holds a lab: the hidden subcommand "lab". It serves on standard input and
// output. It ends when the input ends (unless the lab stays), when ctx ends, or when the terminal
// hangs up. Then it removes everything that it made.
func Run(ctx context.Context) error {
	// the caller may be dead: that is no reason to leave anything behind
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &lab{ctx: ctx, spaces: map[string]*space{}}
	server := rpc.NewServer()
	if err := server.RegisterName(Name, l); err != nil {
		return err
	}
	go server.ServeCodec(jsonrpc.NewServerCodec(&owner{os.Stdin, os.Stdout, func() {
		if !l.stays.Load() {
			cancel()
		}
	}}))
	<-ctx.Done()
	return l.down()
}

// owner is the process that uses the lab. When its end of the pipe closes, work for it stops.
type owner struct {
	in     io.Reader
	out    io.WriteCloser
	closed context.CancelFunc
}

func (o *owner) Read(b []byte) (int, error) {
	n, err := o.in.Read(b)
	if err != nil {
		o.closed()
	}
	return n, err
}

func (o *owner) Write(b []byte) (int, error) { return o.out.Write(b) }
func (o *owner) Close() error                { return o.out.Close() }
