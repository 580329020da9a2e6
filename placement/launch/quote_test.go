package launch

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dpukv/internal/test/programs"
)

// awkward are arguments that some shell would split or change.
var awkward = []string{
	"", " ", "a b", "'", `"`, `'"'"'`, `\`, `\\`, `\'`, `a\`, "$HOME", "${HOME}", "$(id)", "`id`", "!", "!!", "a!b",
	"*", "?", "[a-z]", "{a,b}", "~", "~root", "#", "# no comment",
	"-n", "--", "&", "&&", "|", ";", "<", ">", "(", ")", "=", "a=b", "%", "%s", "^", "\t", "\n", "a\nb", "\r\n",
	"\x01\x7f", "ä€😀", "\xff\xfe", `{"json": "it's"}`, "\x1b[0m",
}

// shells are the supported login shells, as far as they are installed.
var shells = []struct {
	argv    []string
	refuses string // characters that it cannot be handed
}{
	{[]string{"sh", "-c"}, ""},
	{[]string{"bash", "-c"}, ""},
	{[]string{"busybox", "sh", "-c"}, ""},
	{[]string{"zsh", "-c"}, ""},
	{[]string{"fish", "-c"}, ""},
	{[]string{"tcsh", "-c"}, "\n"},
}

// echoed returns the arguments as a shell passes them on.
func echoed(t interface{ Fatalf(string, ...any) }, shell, args []string) []string {
	line := "exec " + quoteAll(append([]string{"printf", `%s\0`, "first"}, args...))
	out, err := exec.Command(shell[0], append(shell[1:], line)...).Output()
	if err != nil {
		t.Fatalf("%s %q: %v", shell, line, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")[1:]
}

func TestQuoteInEveryShell(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for seconds: it starts each shell for each text")
	}
	t.Parallel()
	for _, shell := range shells {
		t.Run(shell.argv[0], func(t *testing.T) {
			programs.Need(t, shell.argv[0])
			fits := func(a string) bool { return !strings.ContainsAny(a, shell.refuses) }
			args := slices.DeleteFunc(slices.Clone(awkward), func(a string) bool { return !fits(a) })
			if got := echoed(t, shell.argv, args); !slices.Equal(got, args) {
				t.Errorf("found  %q\nwanted %q", got, args)
			}
			arg := rapid.Map(rapid.SliceOfN(rapid.ByteRange(1, 255), 0, 20), func(b []byte) string {
				return string(b)
			}).Filter(fits)
			rapid.Check(t, func(t *rapid.T) {
				args := rapid.SliceOf(arg).Draw(t, "args")
				if got := echoed(t, shell.argv, args); !slices.Equal(got, args) {
					t.Fatalf("found  %q\nwanted %q", got, args)
				}
			})
		})
	}
}

// TestBootstrapInEveryShell: a script that travels over stdin reads the bytes after it exactly.
func TestBootstrapInEveryShell(t *testing.T) {
	t.Parallel()
	const script = "echo \"it's $(printf %s here)\" # and not\ncat\n"
	for _, shell := range shells {
		t.Run(shell.argv[0], func(t *testing.T) {
			programs.Need(t, shell.argv[0])
			rest := strings.Repeat("\x00 \xff\n", 20_000)
			cmd := exec.Command(shell.argv[0], append(shell.argv[1:], "exec "+quoteAll(bootstrap(script)))...)
			cmd.Stdin = strings.NewReader(script + rest)
			if out, err := cmd.Output(); err != nil || string(out) != "it's here\n"+rest {
				t.Errorf("%d bytes came back of %d: %v", len(out), len(rest), err)
			}
		})
	}
}

func FuzzQuote(f *testing.F) {
	for _, a := range awkward {
		f.Add([]byte(a), []byte("x"))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		const most = 64 << 10 // half of what Linux takes for an argument, as it is quoted
		if bytes.IndexByte(append(a, b...), 0) >= 0 || len(a)+len(b) > most {
			t.Skip("no argument")
		}
		args := []string{string(a), string(b)}
		if got := echoed(t, []string{"sh", "-c"}, args); !slices.Equal(got, args) {
			t.Errorf("found %q, wanted %q", got, args)
		}
	})
}
