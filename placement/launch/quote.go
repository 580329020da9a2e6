package launch

import "strings"

// quote writes an argument so that a login shell takes it for one unchanged word. Shells differ in
// details: within single quotes, fish treats backslashes as escapes, and csh treats exclamation
// marks as its history. Outside quotes, a backslash protects the next character in all shells. So
// these characters stand outside quotes, and everything else in single quotes (POSIX.1-2017, XCU
// 2.2).
//
// Only csh cannot take a line break.
func quote(arg string) string {
	if arg != "" && !strings.ContainsFunc(arg, special) {
		return arg
	}
	var b strings.Builder
	open := false
	toggle := func(to bool) {
		if open != to {
			b.WriteByte('\'')
			open = to
		}
	}
	for i := range len(arg) { // bytes: what is no UTF-8 passes as well
		switch c := arg[i]; c {
		case '\'', '\\', '!':
			toggle(false)
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			toggle(true)
			b.WriteByte(c)
		}
	}
	if arg == "" {
		return "''"
	}
	toggle(false)
	return b.String()
}

// special reports whether a character has a meaning in some shell.
func special(r rune) bool {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,+@"
	return !strings.ContainsRune(plain, r)
}
