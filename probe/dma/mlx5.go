package dma

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"dpukv/kvs"
	"dpukv/probe"
	"dpukv/verbs"
	"dpukv/verbs/ibverbs"
)

// engineMLX5 is the DMA engine of a BlueField, driven through its RDMA device.
const engineMLX5 = "mlx5"

// device is a DMA engine of an RDMA device: [ibverbs.Copier].
type device interface {
	MaxBytes() int
	Info() verbs.DeviceInfo
	Register(memory []byte) (key uint32, err error)
	Copy(to []byte, toKey uint32, from []byte, fromKey uint32) error
	Done() (int, error)
	Close() error
}

// openDevice opens the engine of a device. Tests have others.
var openDevice = func(d kvs.Device, depth int, events bool) (device, error) {
	cfg, err := configOf(d)
	if err != nil {
		return nil, err
	}
	c, err := ibverbs.OpenCopier(cfg, depth, events)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// ibverbsPrefix begins the names of RDMA devices in testbeds.
const ibverbsPrefix = "ibverbs:"

// configOf reads the name of a device, NAME or NAME/PORT. Without a name, or with one of another
// provider, the machine's only device is meant.
func configOf(d kvs.Device) (ibverbs.Config, error) {
	cfg := ibverbs.Config{GIDIndex: ibverbs.AutoGID}
	name, isNIC := strings.CutPrefix(d.Name, ibverbsPrefix)
	if !isNIC && (strings.Contains(name, ":") || name == "shm" || name == "softroce") {
		return cfg, nil
	}
	var port string
	if cfg.Name, port, _ = strings.Cut(name, "/"); port == "" {
		return cfg, nil
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 {
		return cfg, fmt.Errorf("device: found %q, allowed: NAME or NAME/PORT, as in mlx5_0/1",
			d.Name)
	}
	cfg.Port = n
	return cfg, nil
}

// card copies by the DMA engine of an RDMA device.
type card struct {
	device    device
	memory    *memory
	op        string
	near, far uint32 // keys
}

func openMLX5(t *probe.Task, m *memory) (engine, error) {
	depth := 1
	if t.Settings.Get("test") == throughput {
		depth = t.Settings.Int("batch")
	}
	d, err := openDevice(t.Device, depth, t.Settings.Get("completion") == event)
	if err != nil {
		return nil, err
	}
	c := &card{device: d, memory: m, op: t.Settings.Get("op")}
	if err := c.register(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return c, nil
}

// register lets the device reach the memory.
func (c *card) register() (err error) {
	if most := c.device.MaxBytes(); c.memory.bytes > most {
		return fmt.Errorf("bytes: found %d, allowed by the device %s: up to %d", c.memory.bytes,
			c.device.Info().Name, most)
	}
	if c.near, err = c.device.Register(c.memory.near); err != nil {
		return err
	}
	c.far, err = c.device.Register(c.memory.far)
	return err
}

func (c *card) post(i uint64) error {
	to, from := c.memory.ends(c.op, i)
	if c.op == read {
		return c.device.Copy(to, c.near, from, c.far)
	}
	return c.device.Copy(to, c.far, from, c.near)
}

func (c *card) reap() (int, error) { return c.device.Done() }

func (c *card) describe(o *probe.Outcome) {
	info := c.device.Info()
	o.Provider = info.Provider
	o.Facts["engine"] = engineMLX5
	o.Facts["device"] = verbs.Printable(info.Name)
	o.Facts["firmware"] = verbs.Printable(info.Firmware)
	o.Facts["most_bytes"] = strconv.Itoa(c.device.MaxBytes())
}

func (c *card) close() error { return c.device.Close() }

// examineMLX5 refuses a machine whose RDMA device has no DMA engine. Of several devices, only the
// task knows which one is meant.
func examineMLX5() error {
	names, err := ibverbs.Devices()
	if err != nil || len(names) != 1 {
		return err
	}
	d, err := openDevice(kvs.Device{}, 1, false)
	if err != nil {
		return err
	}
	return d.Close()
}
