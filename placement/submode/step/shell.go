package step

import "strings"

// Shell returns a shell command, with its arguments as "$1" and so on.
func Shell(script string, args ...string) []string {
	return append([]string{"sh", "-c", strings.TrimSpace(script), "sh"}, args...)
}

// Quote writes a command as a person would type it.
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
