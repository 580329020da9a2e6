package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	rewrapping := flag.Bool("rewrap", false, "wrap paragraphs of comments that are too wide")
	flag.Parse()
	dirs := flag.Args()
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	do := report
	if *rewrapping {
		do = rewrite
	}
	problems := 0
	for _, dir := range dirs {
		n, err := do(os.Stdout, dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "columns:", err)
			os.Exit(2)
		}
		problems += n
	}
	if problems > 0 {
		os.Exit(1)
	}
}

// report prints the lines below dir that are too long, and returns their number.
func report(out io.Writer, dir string) (count int, err error) {
	err = walk(dir, func(path string, text []byte) error {
		lines, err := tooLong(path, text)
		for _, l := range lines {
			fmt.Fprintf(out, "%s:%d: found %d columns, allowed %d: split the line\n",
				path, l.number, l.columns, limitOf(path))
		}
		count += len(lines)
		return err
	})
	return count, err
}

// rewrite rewraps the files below dir, and prints the paths of those that it changed.
func rewrite(out io.Writer, dir string) (int, error) {
	return 0, walk(dir, func(path string, text []byte) error {
		wrapped, err := rewrap(path, text)
		if err != nil || string(wrapped) == string(text) {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, path)
		return os.WriteFile(path, wrapped, info.Mode())
	})
}

// walk calls do with each Go file below dir that a person writes.
func walk(dir string, do func(path string, text []byte) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != dir && leftOut(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		mode := parser.PackageClauseOnly | parser.ParseComments
		file, err := parser.ParseFile(token.NewFileSet(), path, text, mode)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		return do(path, text)
	})
}

func leftOut(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") ||
		strings.HasPrefix(name, "_")
}
