package nasty

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dpukv/verbs"
)

// Key is what begins the part of a device's name that is for this package.
const Key = "nasty="

// Model says in which pieces, and in which order, a message takes effect: see doc.go.
type Model string

// These are the models.
const (
	Ordered  Model = "ordered"
	LastWord Model = "last-word"
	PCIe     Model = "pcie"
	IBTA     Model = "ibta"
)

// Models are all of them.
var Models = []Model{Ordered, LastWord, PCIe, IBTA}

// placement is what a device beneath still promises under the model.
func (m Model) placement(beneath verbs.Placement) verbs.Placement {
	return beneath.With(map[Model]verbs.Placement{
		Ordered: verbs.Ordered, LastWord: verbs.LastWord, PCIe: verbs.Lines, IBTA: verbs.NoOrder,
	}[m])
}

// Config configures a device: see doc.go.
type Config struct {
	Model  Model
	Seed   uint64
	Window int  // 0: that of the model
	Early  bool // late=0
	Rare   int  // 0: all messages are cut
	Inline int  // 0: as the device beneath
	Manual bool // only Step and Turn move pieces
}

// Parse reads what stands behind [Key] in a device's name.
func Parse(text string) (Config, error) {
	parts := strings.Split(text, ",")
	c := Config{Model: Model(parts[0])}
	if !slices.Contains(Models, c.Model) {
		return c, fmt.Errorf("nasty: found model %q, allowed: %v", parts[0], Models)
	}
	for _, part := range parts[1:] {
		key, value, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(value)
		switch {
		case err != nil:
			return c, fmt.Errorf("nasty: found %q, allowed: a key, =, and a number", part)
		case key == "seed" && n >= 0:
			c.Seed = uint64(n)
		case key == "window" && n > 0:
			c.Window = n
		case key == "late" && (n == 0 || n == 1):
			c.Early = n == 0
		case key == "rare" && n > 0:
			c.Rare = n
		case key == "inline" && n >= -1 && n != 0:
			c.Inline = n
		default:
			return c, fmt.Errorf("nasty: found %q, allowed: seed=0 or more; window=, rare= and "+
				"inline=1 or more; inline=-1; late=0 or 1", part)
		}
	}
	return c, nil
}

func (c *Config) setDefaults() {
	if c.Window == 0 {
		c.Window = 1
		if c.Model == IBTA {
			const mixed = 4
			c.Window = mixed
		}
	}
}

func (c Config) String() string {
	return fmt.Sprintf("%s%s,seed=%d", Key, c.Model, c.Seed)
}
