package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"dpukv/placement/emulate"
	"dpukv/placement/emulate/keeper"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch os.Args[1] {
	case "lab":
		err = keeper.Run(ctx)
	case "start":
		err = start(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func start(ctx context.Context) (err error) {
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	var spec emulate.Spec
	if err := json.Unmarshal(line, &spec); err != nil {
		return err
	}
	l, err := emulate.Start(ctx, spec)
	if err != nil {
		return err
	}
	prefixes := map[string][]string{}
	for _, m := range spec.Machines {
		argv, err := l.Argv(m.Name, []string{"sleep", "1000"})
		if err != nil {
			return err
		}
		if err := exec.Command(argv[0], argv[1:]...).Start(); err != nil {
			return err
		}
		prefixes[m.Name] = argv[:len(argv)-2]
	}
	report := map[string]any{"facts": l.Facts(), "prefixes": prefixes}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		return err
	}
	closed := make(chan struct{})
	go func() {
		io.Copy(io.Discard, in)
		close(closed)
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
	return l.Close()
}
