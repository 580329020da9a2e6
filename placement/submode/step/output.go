package step

import (
	"errors"
	"fmt"
	"strings"
)

// Contains expects a text in the output.
func Contains(text string) func(string) error {
	return func(out string) error {
		if !strings.Contains(out, text) {
			return fmt.Errorf("found %q, allowed: with %q in it", Shorten(out), text)
		}
		return nil
	}
}

// Is expects a certain output.
func Is(allowed string) func(string) error {
	return func(out string) error {
		if out != allowed {
			return fmt.Errorf("found %q, allowed: %s", Shorten(out), allowed)
		}
		return nil
	}
}

// Empty expects no output.
func Empty(out string) error {
	if out != "" {
		return errors.New("found " + Shorten(out))
	}
	return nil
}

// Shorten shortens an output for an error.
func Shorten(text string) string {
	const most = 300
	if len(text) > most {
		return text[:most] + " …"
	}
	return text
}
