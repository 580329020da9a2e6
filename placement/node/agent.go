package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/doctor"
	"dpukv/internal/killed"
	"dpukv/internal/machine"
	"dpukv/kvs"
	"dpukv/kvs/stores"
)

// Causes for the end of an agent's context.
var (
	errStopped  = errors.New("told to stop")
	errOrphaned = errors.New("the orchestrator is gone")
	errSilence  = errors.New("the orchestrator has not been heard of for too long")
)

// agent is a node's side of the protocol: a process that becomes a server or a client.
type agent struct {
	version string
	store   func(name string) (kvs.Store, error)
	out     MessageWriter
	inbox   chan Message
	silence time.Duration // of the orchestrator: after so long, the agent takes it for gone
}

// Run speaks the protocol on in and out until the order to stop. If in ends before that, Run
// returns at once, whatever is going on: the process must end, as nobody needs its work any more.
// Run also returns after a minute of silence, because in does not end where a network was cut.
func Run(ctx context.Context, in io.Reader, out io.Writer, version string) error {
	a := &agent{
		version: version, store: stores.Named, out: MessageWriter{W: out},
		inbox: make(chan Message), silence: DefaultTimeouts.silence,
	}
	return a.run(ctx, in)
}

func (a *agent) run(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go a.listen(ctx, in, cancel)
	done := make(chan error, 1)
	go func() { done <- a.work(ctx) }()
	select {
	case err := <-done:
		return a.reportFailure(ctx, err)
	case <-ctx.Done():
	}
	if cause := context.Cause(ctx); !errors.Is(cause, errStopped) {
		return cause
	}
	select {
	case err := <-done:
		return a.reportFailure(ctx, err)
	case <-time.After(DefaultTimeouts.Stop):
		return fmt.Errorf("still at work %v after the order to stop", DefaultTimeouts.Stop)
	}
}

// listen passes messages on. It ends the context at the order to stop, or at the end of the input.
func (a *agent) listen(ctx context.Context, in io.Reader, cancel context.CancelCauseFunc) {
	silent := time.AfterFunc(a.silence, func() { cancel(errSilence) })
	defer silent.Stop()
	err := ReadMessages(in, func(m Message) bool {
		silent.Reset(a.silence)
		switch m.(type) {
		case *Stop:
			cancel(errStopped)
			return false
		case *alive:
			return true
		}
		select {
		case a.inbox <- m:
			return true
		case <-ctx.Done():
			return false
		}
	})
	if err != nil {
		err = fmt.Errorf("the orchestrator %w", err)
	}
	cancel(errors.Join(err, errOrphaned))
}

// reportFailure tells the orchestrator of a failure, unless the orchestrator itself ended the work.
func (a *agent) reportFailure(ctx context.Context, err error) error {
	var own serverEnded
	if err == nil || errors.Is(context.Cause(ctx), errStopped) && !errors.As(err, &own) {
		return nil
	}
	return errors.Join(err, a.out.Send(&Failed{err.Error()}))
}

func (a *agent) work(ctx context.Context) error {
	build, err := BuildID()
	if err != nil {
		return err
	}
	facts := machine.Read()
	err = a.out.Send(&Hello{
		Protocol: ProtocolVersion, Version: a.version, Build: build, Source: source(),
		Static:  static(),
		Machine: facts, Kernel: machine.BootID(), Cores: machine.Cores(facts.AllowedCPUs),
		Findings: doctor.Spoiling(doctor.Examine(&facts)), Killed: killed.Now(),
	})
	if err != nil {
		return err
	}
	part, err := a.answer(ctx)
	if err != nil {
		return err
	}
	switch {
	case part.Server != nil && part.Client == nil:
		threads := part.Server.Workers
		if part.Server.Half == kvs.PartEngine {
			threads = max(threads, part.Server.EngineThreads)
		}
		if err := cpu.Prepare(part.CPUs, threads); err != nil {
			return err
		}
		srv, err := a.start(part.CPUs, part.Server)
		if err != nil {
			return err
		}
		return a.serve(ctx, srv, part.Server.Attach == "")
	case part.Proxy != nil && part.Server == nil && part.Client == nil:
		if err := cpu.Prepare(part.CPUs, part.Proxy.Threads); err != nil {
			return err
		}
		srv, err := a.startProxy(part.CPUs, part.Proxy)
		if err != nil {
			return err
		}
		return a.serve(ctx, srv, true)
	case part.Client != nil && part.Server == nil:
		if err := cpu.Prepare(part.CPUs, part.Client.Threads); err != nil {
			return err
		}
		return runClient(ctx, a, part.CPUs, part.Client)
	case part.Keys != nil && part.Server == nil && part.Client == nil:
		return lookAfterKeys(ctx, a, part.Keys)
	case part.Probe != nil && part.Server == nil && part.Client == nil:
		return a.probe(ctx, part.CPUs, part.Probe)
	case part.Neighbour != nil && part.Server == nil && part.Client == nil:
		return a.workBeside(ctx, part.CPUs, part.Neighbour)
	}
	return errors.New("configured as neither server nor client nor neighbour, nor for keys or a " +
		"probe, or as several of them")
}

// answer answers the orchestrator's questions about the node, until configure arrives.
func (a *agent) answer(ctx context.Context) (*Configure, error) {
	var in inspector
	defer in.close()
	for {
		m, err := await[Message](ctx, a)
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *Inspect:
			err = a.out.Send(in.inspect(ctx, m))
		case *Reach:
			err = a.out.Send(in.reach(ctx, m))
		case *Examine:
			err = a.out.Send(examine(m))
		case *Configure:
			return m, nil
		default:
			err = fmt.Errorf("received the message %s instead of configure", m.kind())
		}
		if err != nil {
			return nil, err
		}
	}
}

// await waits for a message of one type.
func await[M Message](ctx context.Context, a *agent) (M, error) {
	var want M
	select {
	case m := <-a.inbox:
		got, ok := m.(M)
		if !ok {
			return want, fmt.Errorf("received the message %s instead of %s", m.kind(), want.kind())
		}
		return got, nil
	case <-ctx.Done():
		return want, context.Cause(ctx)
	}
}

// serve runs a store's server, or a part of one, until the order to stop. here: it was started
// here.
func (a *agent) serve(ctx context.Context, srv kvs.Server, here bool) error {
	broken := make(chan error, 1)
	go func() {
		defer close(broken)
		broken <- srv.Wait()
	}()
	err := a.out.Send(&Ready{Addr: srv.Addr(), Facts: srv.Facts()})
	if err == nil {
		w := newWatcher(srv, here)
		err = a.answerCounts(ctx, broken, func() *Counted {
			return &Counted{Moved: w.moved(), Threads: w.threads()}
		})
	}
	closed := srv.Close()
	if ended := endOf(broken, closed == nil); ended != nil { // the order to stop came because of it
		err = errors.Join(err, serverEnded{ended})
	}
	return errors.Join(err, closed)
}

// endOf returns why a server ended. What could not be closed may go on.
func endOf(broken <-chan error, closed bool) error {
	if closed {
		return <-broken
	}
	select {
	case err := <-broken:
		return err
	default:
		return nil
	}
}

// answerCounts answers each count until the order to stop. It fails with the reason once the server
// is broken.
func (a *agent) answerCounts(
	ctx context.Context, broken <-chan error, count func() *Counted,
) error {
	for ctx.Err() == nil {
		select {
		case err := <-broken:
			return serverEnded{err}
		case m := <-a.inbox:
			if _, ok := m.(*Count); !ok {
				return fmt.Errorf("received the message %s instead of count", m.kind())
			}
			if err := a.out.Send(count()); err != nil {
				return err
			}
		case <-ctx.Done():
		}
	}
	return nil
}

// start starts a server, or attaches to the running one.
func (a *agent) start(cpus []int, spec *ServerSpec) (kvs.Server, error) {
	st, err := a.store(spec.Store)
	if err != nil {
		return nil, err
	}
	if spec.Attach == "" {
		if spec.Half != kvs.PartEngine { // which may poll for its store
			defer a.prepares()()
		}
		cfg := spec.HalfConfig
		cfg.CPUs, cfg.Version = cpus, a.version
		return startHalf(&st, spec.Half, &cfg)
	}
	if st.Attach == nil {
		return nil, fmt.Errorf("attach to %s: servers of %s are only started here",
			spec.Attach, spec.Store)
	}
	return st.Attach(&kvs.DialConfig{Addr: spec.Attach, Credentials: spec.Credentials})
}

// startHalf starts a whole server, or a half.
func startHalf(st *kvs.Store, half string, cfg *kvs.HalfConfig) (kvs.Server, error) {
	switch {
	case half == "":
		return st.Start(&cfg.ServerConfig)
	case st.Halves == nil:
		return nil, fmt.Errorf("half %s: servers of %s cannot be split", half, st.Name)
	case half == kvs.PartStore:
		return st.Halves.StartStore(cfg)
	case half == kvs.PartEngine:
		return st.Halves.StartEngine(cfg)
	}
	return nil, fmt.Errorf("half: found %q, allowed: %s, %s", half, kvs.PartStore, kvs.PartEngine)
}

// startProxy starts the network half of a client.
func (a *agent) startProxy(cpus []int, spec *ProxySpec) (kvs.Server, error) {
	st, err := a.store(spec.Store)
	if err != nil {
		return nil, err
	}
	if st.Halves == nil {
		return nil, fmt.Errorf("proxy: clients of %s cannot be split", st.Name)
	}
	cfg := spec.ProxyConfig
	cfg.CPUs, cfg.Version = cpus, a.version
	return st.Halves.StartProxy(&cfg)
}

// serverEnded is the error of a server that ended by itself. It is always reported.
type serverEnded struct{ error }

func (e serverEnded) Error() string { return "the server ended: " + e.error.Error() }

func (e serverEnded) Unwrap() error { return e.error }

// Subcommand is the dpukv subcommand of a node's agent.
const Subcommand = "node"
