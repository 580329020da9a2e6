package main

import (
	"fmt"
	"os"
	"strconv"

	"dpukv/hashbench"
	"dpukv/hashbench/measure"
	"dpukv/hashbench/result"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "target:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("found %d arguments, allowed: FUNCTION MODE BYTES CALLS", len(args))
	}
	f, ok := measure.LoopFunction(args[0])
	if !ok {
		found, err := hashbench.Find(args[0])
		if err != nil {
			return err
		}
		f = found.Native
	}
	bytes, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	calls, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	measure.Repeat(result.Fixed(result.Mode(args[1]), bytes), f, calls)
	return nil
}
