package herd

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"dpukv/internal/foreign"
)

const (
	protocolVersion  = 1
	frameMagic       = "dpukv\x00H1"
	frameHeaderBytes = 16
	maxBodyBytes     = 4 << 20 // of a frame to a client
	handshakeTimeout = 5 * time.Second
	// pieceBytes is the size of the first read of a body.
	pieceBytes = 1 << 10
)

// kind is the kind of a side channel frame.
type kind uint8

const (
	kindHello kind = 1 + iota
	kindWelcome
	kindJoin
	kindSlotGrant
	kindAsk
	kindStats
	kindFailure
	kindExtend
	kindExtended
)

// errForeign means that the peer does not speak this protocol of HERD.
var errForeign = errors.New("the other end is no dpukv HERD")

// makeFrame returns a frame with v as JSON.
func makeFrame(k kind, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	frame := make([]byte, frameHeaderBytes, frameHeaderBytes+len(body))
	copy(frame, frameMagic)
	binary.LittleEndian.PutUint32(frame[8:], uint32(len(body)))
	frame[12], frame[13] = protocolVersion, byte(k)
	return append(frame, body...), nil
}

// writeFrame sends a frame with v as JSON.
func writeFrame(c net.Conn, k kind, v any) error {
	frame, err := makeFrame(k, v)
	if err == nil {
		_, err = c.Write(frame)
	}
	return err
}

// head is a frame's first bytes.
type head [frameHeaderBytes]byte

func (h *head) kind() kind { return kind(h[13]) }

// check returns the length of the body. It returns an error if the header is wrong or the body is
// longer than most.
func (h *head) check(most int) (int, error) {
	length := binary.LittleEndian.Uint32(h[8:])
	switch {
	case string(h[:8]) != frameMagic:
		return 0, fmt.Errorf("%w: found a frame that starts with %q", errForeign, h[:8])
	case h[12] != protocolVersion:
		return 0, fmt.Errorf("protocol version: found %d there, %d here: both ends must be the "+
			"same build",
			h[12], protocolVersion)
	case h[14] != 0 || h[15] != 0:
		return 0, fmt.Errorf("frame: found % x at byte 14, allowed: zeros, which are "+
			"reserved", h[14:])
	case length > uint32(most):
		return 0, fmt.Errorf("frame: found %d bytes, allowed: at most %d", length, most)
	}
	return int(length), nil
}

// readFrame reads one frame's kind and body.
func readFrame(r io.Reader) (kind, []byte, error) {
	var h head
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return 0, nil, err
	}
	n, err := h.check(maxBodyBytes)
	if err != nil {
		return 0, nil, err
	}
	body, err := readBody(r, n)
	return h.kind(), body, err
}

// readBody reads n bytes. It allocates memory for the bytes that have arrived, not for those that
// the header promises.
func readBody(r io.Reader, n int) ([]byte, error) {
	body := make([]byte, 0, min(n, pieceBytes))
	for len(body) < n {
		if len(body) == cap(body) {
			body = slices.Grow(body, min(len(body), n-len(body)))
		}
		m, err := r.Read(body[len(body):min(cap(body), n)])
		body = body[:len(body)+m]
		switch {
		case errors.Is(err, io.EOF) && len(body) < n:
			return body, io.ErrUnexpectedEOF
		case err != nil && len(body) < n:
			return body, err
		}
	}
	return body, nil
}

// exchange sends a frame and reads the answer into v.
func exchange(c net.Conn, k kind, question any, want kind, v any) error {
	if err := c.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return err
	}
	if err := writeFrame(c, k, question); err != nil {
		return err
	}
	if err := expect(c, want, v); err != nil {
		return err
	}
	return c.SetDeadline(time.Time{})
}

// errHungUp means that the server closed the connection without a failure frame.
var errHungUp = errors.New("closed the connection: check that it is a dpukv HERD server")

// expect reads a frame of one kind, or a failure frame in its place.
func expect(c net.Conn, want kind, v any) error {
	got, body, err := readFrame(c)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s %w", c.RemoteAddr(), errHungUp)
	case err != nil:
		return fmt.Errorf("%s: %w", c.RemoteAddr(), err)
	case got == want:
		return json.Unmarshal(body, v)
	case got == kindFailure:
		var f failure
		if err := json.Unmarshal(body, &f); err != nil {
			return err
		}
		return fmt.Errorf("the server at %s says: %s", c.RemoteAddr(), foreign.Reason(f.Error))
	}
	return fmt.Errorf("%s sent a frame of kind %d, allowed: %d", c.RemoteAddr(), got, want)
}
