package step

import "strings"

// Shell is a command of a shell, with its arguments as "$1" and so on.
func Shell(script string, args ...string) []string {
	return append([]string{"sh", "-c", strings.TrimSpace(script), "sh"}, args...)
}

// Program expects one to be in the PATH; pkg is the package of Debian that has it.
func Program(name, pkg string) Step {
	return Step{
		Purpose: name, Run: Shell(`command -v "$1"`, name),
		Advice: "install Debian's " + pkg + ", or what your system calls it",
	}
}

// Quote is a command as a person would type it.
func Quote(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$&|;<>()*?[]#~`!{}") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
