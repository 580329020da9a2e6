package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	list := flag.String("list", ".ci/skips.txt", "the allowed skips")
	again := flag.Bool("again", false,
		"print what go test needs to run the tests that were left out")
	missing := flag.Bool("missing", false,
		"print a line for each program that is not installed, and nothing else")
	flag.Parse()
	todo := task{*list, os.Getenv("CI") != "", *again, *missing}
	if err := todo.run(os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(1)
	}
}

// task is what the command is asked to do.
type task struct {
	list    string // the file of allowed skips
	strict  bool   // a skip that the list does not allow is an error
	again   bool   // print the tests to run again, and nothing else
	missing bool   // print the programs that are not installed, and nothing else
}

// run prints the skips of a stage.
func (k *task) run(out io.Writer, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("found the arguments %q, want STAGE and FILEs", args)
	}
	text, err := os.ReadFile(k.list)
	if err != nil {
		return err
	}
	list, err := parseList(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", k.list, err)
	}
	stage, r := args[0], newRecorder()
	for _, file := range args[1:] {
		if err := r.readFile(file); err != nil {
			return err
		}
	}
	if k.missing {
		for _, line := range r.missing() {
			fmt.Fprintln(out, line)
		}
		return nil
	}
	v := judge(list, stage, r.skips())
	if k.again {
		fmt.Fprintln(out, again(append(v.unlisted, r.cut...)))
		return nil
	}
	v.print(out, stage, k.list)
	if k.strict && len(v.unlisted)+len(v.stale) > 0 {
		return errors.New("the skips of make " + stage + " are not those of " + k.list)
	}
	return nil
}

// again is what go test needs to run these tests, each with all of its parts. An entry is
// PACKAGE.TEST, and what follows a colon does not matter.
func again(entries []string) string {
	names, packages := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		pkg, test, _ := strings.Cut(e, ".")
		test, _, _ = strings.Cut(test, ":")
		test, _, _ = strings.Cut(test, "/")
		names[test], packages["./"+pkg] = true, true
	}
	return "-run ^(" + strings.Join(slices.Sorted(maps.Keys(names)), "|") + ")$ " +
		strings.Join(slices.Sorted(maps.Keys(packages)), " ")
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
