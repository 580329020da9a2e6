package mica

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"time"

	"dpukv/internal/foreign"
	"dpukv/kvs"
)

// welcome is the body of the frame that answers a hello.
type welcome struct {
	Facts kvs.Facts `json:"facts"`
	// Ports are the workers' ports, in order.
	Ports []int `json:"ports"`
}

const handshakeTimeout = 5 * time.Second

// greet sends a hello on a fresh connection and reads the welcome.
func greet(c net.Conn) (*welcome, error) {
	if err := c.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return nil, err
	}
	var w welcome
	if err := exchange(c, kindHello, []byte(magic), kindWelcome, &w); err != nil {
		return nil, fmt.Errorf("handshake with %s: %w", c.RemoteAddr(), err)
	}
	return &w, c.SetDeadline(time.Time{})
}

// exchange sends one control frame and reads its JSON answer into v.
func exchange(c net.Conn, k kind, body []byte, want kind, v any) error {
	if _, err := c.Write(control(k, 0, body)); err != nil {
		return err
	}
	got, answer, err := readFrame(c)
	if err != nil {
		return err
	}
	switch got.kind {
	case want:
		return json.Unmarshal(answer, v)
	case kindFailure:
		return fmt.Errorf("the server says: %s", foreign.Reason(answer))
	}
	return fmt.Errorf("frame kind: found %d, allowed: %d: check that it is a dpukv MICA "+
		"server", got.kind,
		want)
}

// readFrame reads one frame and returns its header and body.
func readFrame(r io.Reader) (header, []byte, error) {
	var head [headerBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return header{}, nil,
			fmt.Errorf("the server closed the connection: check that it is a dpukv MICA server "+
				"(%w)", err)
	}
	h, err := parseHeader(head[:])
	if err != nil {
		return h, nil, fmt.Errorf("%w: check that it is a dpukv MICA server", err)
	}
	body := make([]byte, h.bytes-headerBytes)
	_, err = io.ReadFull(r, body)
	return h, body, err
}
