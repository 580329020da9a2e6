package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	list := flag.String("list", ".ci/skips.txt", "the allowed skips")
	flag.Parse()
	if err := run(os.Stdout, *list, os.Getenv("CI") != "", flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(1)
	}
}

// run prints the skips of a stage. If strict, those that the list does not allow are an error.
func run(out io.Writer, listFile string, strict bool, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("found the arguments %q, want STAGE and FILEs", args)
	}
	text, err := os.ReadFile(listFile)
	if err != nil {
		return err
	}
	list, err := parseList(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", listFile, err)
	}
	stage, r := args[0], newRecorder()
	for _, file := range args[1:] {
		if err := r.readFile(file); err != nil {
			return err
		}
	}
	v := judge(list, stage, r.skips())
	v.print(out, stage, listFile)
	if strict && len(v.unlisted)+len(v.stale) > 0 {
		return errors.New("the skips of make " + stage + " are not those of " + listFile)
	}
	return nil
}

// print names each skip, and what to do about those that are not allowed.
func (v *verdict) print(out io.Writer, stage, listFile string) {
	fmt.Fprintf(out, "make %s: %d skips are allowed, %d are not, %d entries of %s match none\n",
		stage, len(v.allowed), len(v.unlisted), len(v.stale), listFile)
	for _, skip := range v.allowed {
		fmt.Fprintf(out, "allowed: %s\n", skip)
	}
	for _, skip := range v.unlisted {
		fmt.Fprintf(out, "NOT ALLOWED: %s\n", skip)
	}
	if len(v.unlisted) > 0 {
		fmt.Fprintf(out, "Install what is missing (make deps), or add an entry with its reason "+
			"to %s.\n",
			listFile)
	}
	for _, e := range v.stale {
		fmt.Fprintf(out, "STALE: %s:%d: %s matches no skip of make %s: remove the entry.\n",
			listFile, e.line, e.pattern, stage)
	}
}
