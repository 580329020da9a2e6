package node

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"dpukv/internal/foreign"
	"dpukv/placement/cardreport"
)

// rocePort is the UDP port of RoCE v2 packets. A NIC with RoCE on takes them from the kernel.
const rocePort = "4791"

// inspectCard adds the facts of a card, and answers datagrams to the port of RoCE until the end.
func (in *inspector) inspectCard(ctx context.Context, m *Inspect, found *Inspection) {
	found.Card = cardreport.Collect(ctx)
	var err error
	in.echo, err = net.ListenPacket("udp", net.JoinHostPort(m.Address, rocePort))
	if err != nil {
		found.UDPError = err.Error()
		return
	}
	found.UDPAddr = in.echo.LocalAddr().String()
	go echo(in.echo)
}

// echo returns datagrams until the socket is closed.
func echo(c net.PacketConn) {
	b := make([]byte, 64)
	for {
		n, from, err := c.ReadFrom(b)
		if err != nil {
			return
		}
		_, _ = c.WriteTo(b[:n], from)
	}
}

// The tries of a datagram: one may get lost while a neighbour is looked for.
const datagrams = 3

// exchange sends a datagram to an address and waits for its return.
func exchange(ctx context.Context, addr string) error {
	var d net.Dialer
	c, err := d.DialContext(ctx, "udp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	sent, b := []byte("dpukv "+addr), make([]byte, 64)
	for range datagrams {
		if _, err = c.Write(sent); err != nil {
			continue
		}
		if err = c.SetReadDeadline(time.Now().Add(ReachTimeout / datagrams)); err != nil {
			return err
		}
		var n int
		if n, err = c.Read(b); err == nil && string(b[:n]) == string(sent) {
			return nil
		}
	}
	if err == nil {
		err = fmt.Errorf("found another datagram")
	}
	return err
}

// ping sends packets of a size that may not be cut.
func ping(ctx context.Context, p *Ping) error {
	ctx, cancel := context.WithTimeout(ctx, 2*ReachTimeout)
	defer cancel()
	out, err := foreign.RunCombined(exec.CommandContext(ctx, "ping",
		"-M", "do", "-q", "-c", "3", "-i", "0.2", "-W", "1", "-I", p.From,
		"-s", strconv.Itoa(p.Bytes), p.To))
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.Join(strings.Fields(string(out)), " "))
	}
	return nil
}

// reachMore tries the datagrams and pings of a message, one after the other.
func reachMore(ctx context.Context, m *Reach, got *Reached) {
	if len(m.UDP)+len(m.Pings) == 0 {
		return
	}
	got.UDP, got.Pings = map[string]string{}, map[string]string{}
	var mu sync.Mutex
	var all sync.WaitGroup
	add := func(to map[string]string, key string, try func() error) {
		all.Go(func() {
			err := try()
			mu.Lock()
			defer mu.Unlock()
			to[key] = text(err)
		})
	}
	for _, addr := range m.UDP {
		add(got.UDP, addr, func() error { return exchange(ctx, addr) })
	}
	for i := range m.Pings {
		add(got.Pings, m.Pings[i].To, func() error { return ping(ctx, &m.Pings[i]) })
	}
	all.Wait()
}
