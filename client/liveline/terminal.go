package liveline

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"dpukv/internal/foreign"
)

// usualColumns is the width of a terminal that does not say its own.
const usualColumns = 80

// Columns returns the width of the terminal below a writer, or 0 if there is none.
func Columns(w io.Writer) int {
	f, ok := foreign.Raw(w).(*os.File)
	if !ok {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	switch {
	case err != nil:
		return 0
	case size.Col == 0:
		return usualColumns
	}
	return int(size.Col)
}

// Rewrite replaces the line of the cursor. The text is cut to the terminal's width: a wrapped line
// could not be replaced. Without a terminal, it writes nothing.
func Rewrite(w io.Writer, text string) {
	columns := Columns(w)
	if columns == 0 {
		return
	}
	line := []rune(text)
	fmt.Fprint(foreign.Raw(w), "\r\x1b[K")
	fmt.Fprint(w, string(line[:min(len(line), columns-1)]))
}
