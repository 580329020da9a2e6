package iplink

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Link is an interface.
type Link struct {
	Name     string          `json:"ifname"`
	Flags    []string        `json:"flags"`
	MTU      int             `json:"mtu"`
	AltNames []string        `json:"altnames"`
	Master   string          `json:"master"`
	XDP      json.RawMessage `json:"xdp"`
	Info     struct {
		Slave struct {
			State string `json:"state"`
		} `json:"info_slave_data"`
	} `json:"linkinfo"`
	Stats struct {
		RX Counter `json:"rx"`
		TX Counter `json:"tx"`
	} `json:"stats64"`
}

// Counter is an interface's count one way.
type Counter struct {
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`
}

// Links are interfaces by their names.
type Links map[string]Link

// Parse reads the output.
func Parse(out string) (Links, error) {
	var list []Link
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return nil, fmt.Errorf("ip -j: %w", err)
	}
	all := Links{}
	for i := range list {
		all[list[i].Name] = list[i]
	}
	return all, nil
}

// Names returns the sorted names, with commas between.
func (l Links) Names() string {
	return strings.Join(slices.Sorted(maps.Keys(l)), ", ")
}

// SameMTU refuses two interfaces with different MTUs.
func (l Links) SameMTU(a, b string) error {
	if l[a].MTU != l[b].MTU {
		return fmt.Errorf("found an MTU of %d on %s and %d on %s", l[a].MTU, a, l[b].MTU, b)
	}
	return nil
}

// Up refuses an interface that is missing, down, or without a carrier.
func (l Links) Up(name string) error {
	link, ok := l[name]
	switch {
	case !ok:
		return fmt.Errorf("found no interface %s", name)
	case !slices.Contains(link.Flags, "UP"):
		return fmt.Errorf("found %s down", name)
	case !slices.Contains(link.Flags, "LOWER_UP"):
		return fmt.Errorf("found %s without a link", name)
	}
	return nil
}

// Check returns a check of an output.
func Check(check func(Links) error) func(out string) error {
	return func(out string) error {
		all, err := Parse(out)
		if err == nil {
			err = check(all)
		}
		return err
	}
}

// Lacks returns a check of an output: none of its interfaces has one of these names.
func Lacks(names ...string) func(out string) error {
	return Check(func(all Links) error {
		for _, name := range names {
			if _, ok := all[name]; ok {
				return fmt.Errorf("found the interface %s", name)
			}
		}
		return nil
	})
}
