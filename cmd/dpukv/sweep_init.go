package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dpukv/examples"
)

func newSweepInitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [NAME [FILE]]",
		Short: "Write a commented sweep file to start from, or list those there are",
		Long: `Write an example of a sweep file to FILE, by default NAME.yaml in this folder. The examples are in the
binary, so no checkout is needed. A file that exists is never overwritten. Without a name, list the
examples.`,
		Example: `  dpukv sweep init
  dpukv sweep init fig9
  dpukv sweep init fig8 my-fig8.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return listSweeps(cmd.OutOrStdout())
			case 1:
				return initSweep(cmd, args[0], args[0]+".yaml")
			case 2:
				return initSweep(cmd, args[0], args[1])
			}
			return usagef("%s: found %d arguments, allowed: a name and a file", cmd.CommandPath(),
				len(args))
		},
	}
}

// listSweeps prints a line for each example.
func listSweeps(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range examples.Sweeps() {
		fmt.Fprintf(table, "%s\t%s\n", s.Name, s.Summary)
	}
	return table.Flush()
}

// initSweep writes an example, and says what to do with it.
func initSweep(cmd *cobra.Command, name, file string) error {
	all := examples.Sweeps()
	i := slices.IndexFunc(all, func(s examples.Sweep) bool { return s.Name == name })
	if i < 0 {
		var names []string
		for _, s := range all {
			names = append(names, s.Name)
		}
		return usagef("%s: found %q, allowed: one of %s", cmd.CommandPath(), name,
			strings.Join(names, ", "))
	}
	text := all[i].Text(file)
	if err := writeNew(file, text); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s, its first command: %s\n", file, examples.Command(text))
	for _, kind := range all[i].Testbeds() {
		fmt.Fprintf(out, "%s.yaml, its testbed file: dpukv testbed init %[1]s > %[1]s.yaml\n", kind)
	}
	return nil
}

// writeNew writes a file that does not exist yet.
func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usagef("%s: found a file of this name, allowed: a new name; to do: remove the "+
			"file, or name another FILE", path)
	}
	if err != nil {
		return usagef("%w", err)
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}
