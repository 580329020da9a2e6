package survey

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Device describes an RDMA device's first port.
type Device struct {
	Name      string `json:"name"`
	Firmware  string `json:"firmware,omitempty"`
	State     string `json:"state,omitempty"` // "ACTIVE"
	Rate      string `json:"rate,omitempty"`  // "200 Gb/sec (4X HDR)"
	LinkLayer string `json:"link_layer,omitempty"`
	GIDs      []GID  `json:"gids"`
}

// GID is an entry of a port's table.
type GID struct {
	Index int    `json:"index"`
	GID   string `json:"gid"`
	Type  string `json:"type"` // "RoCE v2"
	Net   string `json:"net"`  // the interface
}

// rdmaDevices reads sysfs: Documentation/ABI/stable/sysfs-class-infiniband of the kernel.
func rdmaDevices(sys string) []Device {
	dirs, _ := filepath.Glob(filepath.Join(sys, "class/infiniband/*"))
	var list []Device
	for _, dir := range dirs {
		port := filepath.Join(dir, "ports/1")
		_, state, _ := strings.Cut(word(port, "state"), ": ") // "4: ACTIVE"
		list = append(list, Device{
			Name: filepath.Base(dir), Firmware: word(dir, "fw_ver"),
			State: state, Rate: word(port, "rate"), LinkLayer: word(port, "link_layer"),
			GIDs: gids(port),
		})
	}
	return list
}

// noGID is the value of an unused entry in the table.
const noGID = "0000:0000:0000:0000:0000:0000:0000:0000"

func gids(port string) []GID {
	entries, _ := os.ReadDir(filepath.Join(port, "gids"))
	var list []GID
	for _, e := range entries {
		index, err := strconv.Atoi(e.Name())
		gid := word(port, "gids/"+e.Name())
		if err != nil || gid == "" || gid == noGID {
			continue
		}
		list = append(list, GID{
			index, gid, word(port, "gid_attrs/types/"+e.Name()),
			word(port, "gid_attrs/ndevs/"+e.Name()),
		})
	}
	slices.SortFunc(list, func(a, b GID) int { return cmp.Compare(a.Index, b.Index) })
	return list
}
