package redact

import (
	"regexp"
	"strings"
)

// Mark stands where a secret stood.
const Mark = "[redacted]"

var (
	// secretName is the name of a parameter with a secret, as in rd.luks.key=… or --password=….
	secretName = regexp.MustCompile(`(?i)(passw|passphrase|secret|token|credential|apikey|` +
		`(^|[._-])(key|auth)$)`)
	userInfo = regexp.MustCompile(`://[^/@\s]+@`)
)

// Words returns the words of a command line without their secrets. A word is NAME=VALUE, or a flag
// whose value is the next word.
func Words(words []string) []string {
	shown := make([]string, len(words))
	secret := false // the word is the value of a flag
	for i, w := range words {
		name, _, assigned := strings.Cut(w, "=")
		named := secretName.MatchString(name)
		switch {
		case secret && !strings.HasPrefix(w, "-"):
			w = Mark
		case named && assigned:
			w = name + "=" + Mark
		default:
			w = userInfo.ReplaceAllString(w, "://"+Mark+"@")
		}
		shown[i], secret = w, named && !assigned && strings.HasPrefix(name, "-")
	}
	return shown
}

// Line is [Words] of a command line in one string.
func Line(line string) string { return strings.Join(Words(strings.Fields(line)), " ") }
