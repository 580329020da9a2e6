package submode

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

func (s *site) mlxconfig() []string {
	return []string{"mlxconfig", "-d", s.cfg.PCI, "-e", "query", "INTERNAL_CPU_MODEL", "INTERNAL_CPU_OFFLOAD_ENGINE"}
}

// cardMode reads a value that mlxconfig shows. With -e the columns are default, current, next boot; newer ones write a name with the number.
func cardMode(out, key string) (current string, err error) {
	for line := range strings.Lines(out) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "*"))
		if len(f) >= 4 && f[0] == key {
			return mode(f[2]), nil
		}
	}
	return "", fmt.Errorf("mlxconfig: found no %s: %s", key, shorten(out))
}

var inBrackets = regexp.MustCompile(`\((\d+)\)$`)

func mode(value string) string {
	if m := inBrackets.FindStringSubmatch(value); m != nil {
		return m[1]
	}
	return value
}

func onPathMode(out string) error {
	model, err := cardMode(out, "INTERNAL_CPU_MODEL")
	if err != nil {
		return err
	}
	engine, err := cardMode(out, "INTERNAL_CPU_OFFLOAD_ENGINE")
	switch {
	case err != nil:
		return err
	case engine != "0":
		return errors.New("found the NIC mode (INTERNAL_CPU_OFFLOAD_ENGINE=1), in which the Arm cores have no part, allowed: embedded CPU (0)")
	case model != "1":
		return errors.New("found the separated-host mode (INTERNAL_CPU_MODEL=0: off-path), allowed: embedded CPU (1)")
	}
	return nil
}

// separated wants the mode of off-path.
func (s *site) separated() []Step {
	return []Step{{
		Says: "the card's mode: separated host (off-path)", Run: s.mlxconfig(),
		Want: func(out string) error {
			model, err := cardMode(out, "INTERNAL_CPU_MODEL")
			if err == nil && model != "0" {
				err = errors.New("found the embedded-CPU mode (INTERNAL_CPU_MODEL=1: on-path), allowed: separated host (0)")
			}
			return err
		},
		Else: "by hand, then a power cycle of the host: mst start; mlxconfig -d " + s.cfg.PCI + " set INTERNAL_CPU_MODEL=0",
	}}
}
