package reference

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestCommands(t *testing.T) {
	root := &cobra.Command{Use: "tool", Long: "The tool."}
	run := func(*cobra.Command, []string) {}
	do := &cobra.Command{
		Use: "do FILE", Short: "Do it", Long: "Do it now.\n\n  a  table\n\nThen rest.",
		Example: "  tool do x\n    --more", Run: run,
	}
	do.Flags().IntP("count", "c", 3, "number `things` to do")
	do.Flags().String("where", "", "place to do it (default: here (or there))")
	do.Flags().String("which", "", "a: one (default: x); b: two (default y)")
	do.Flags().Bool("secret", false, "")
	if err := do.Flags().MarkHidden("secret"); err != nil {
		t.Fatal(err)
	}
	root.AddCommand(do, &cobra.Command{Use: "hidden", Hidden: true, Run: run})
	page := Commands(root)
	for _, want := range []string{
		"The tool.\n", "| [tool do](#tool-do) | Do it |", "## tool do\n\nDo it now.\n\n      a  table\n",
		"    tool do FILE", "    tool do x\n      --more\n",
		"| `-c, --count things` | number things to do | `3` |",
		"| `--where string` | place to do it | here (or there) |",
		"| `--which string` | a: one (default: x); b: two (default y) |  |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("found no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "hidden") || strings.Contains(page, "secret") {
		t.Errorf("found what is hidden in\n%s", page)
	}
}
