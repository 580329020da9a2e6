package perf

import (
	"context"
	"errors"
	"io"
	"net"

	"dpukv/verbs"
)

// Loopback runs both ends in one process, on one device.
func Loopback(ctx context.Context, dev verbs.Device, cfg Config, watch Observer) (*Report, error) {
	if err := cfg.Check(); err != nil {
		return nil, err // the server would wait for another client
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	served := make(chan error, 1)
	go func() {
		err := serveOne(ctx, dev, l)
		if err != nil {
			stop(err) // the client need not wait for answers
		}
		served <- err
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return nil, err
	}
	report, err := Run(ctx, dev, conn, cfg, watch)
	err = errors.Join(err, conn.Close())
	if err != nil {
		stop(errClientFailed)
	}
	if serveErr := <-served; err == nil || !endsWithClient(serveErr) {
		err = errors.Join(err, serveErr)
	}
	return report, err
}

var errClientFailed = errors.New("the client failed")

// endsWithClient reports whether a server ended because its client did.
func endsWithClient(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, errClientFailed) ||
		errors.Is(err, net.ErrClosed)
}

func serveOne(ctx context.Context, dev verbs.Device, l net.Listener) error {
	client, err := Accept(ctx, l, nil)
	if err != nil {
		return err
	}
	return errors.Join(Serve(ctx, dev, client, Observer{}), client.Close())
}
