package provider

import (
	"net/netip"
	"strings"

	"dpukv/verbs"
	"dpukv/verbs/ibverbs"
	"dpukv/verbs/shm"
	"dpukv/verbs/softroce"
)

// Availability tells whether a provider works on this machine.
type Availability struct {
	Provider string   `json:"provider"`
	Devices  []string `json:"devices,omitempty"` // of ibverbs
	Error    string   `json:"error,omitempty"`   // why it does not work
}

// Available tries each provider on this machine, softroce on an address.
func Available(address string) []Availability {
	nics := Availability{Provider: "ibverbs"}
	names, err := ibverbs.Devices()
	nics.Devices, nics.Error = names, text(err)
	software := Availability{Provider: "softroce"}
	if addr, err := netip.ParseAddr(address); err != nil {
		software.Error = text(err)
	} else {
		software.Error = opens(softroce.Open(softroce.Options{Addr: addr}))
	}
	memory := Availability{Provider: "shm", Error: opens(shm.Open(shm.Config{}))}
	return []Availability{nics, software, memory}
}

func opens(d verbs.Device, err error) string {
	if err != nil {
		return text(err)
	}
	return text(d.Close())
}

// text leaves out the provider's name, which stands beside it.
func text(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), "provider ibverbs: ")
}
