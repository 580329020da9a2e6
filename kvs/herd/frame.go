package herd

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"dpukv/internal/foreign"
)

const (
	protocolVersion  = 1
	frameMagic       = "dpukv\x00H1"
	frameHeaderBytes = 16
	maxBodyBytes     = 4 << 20
	handshakeTimeout = 5 * time.Second
)

// kind is what a frame of the side channel is.
type kind uint8

const (
	kindHello kind = 1 + iota
	kindWelcome
	kindJoin
	kindSeat
	kindAsk
	kindStats
	kindFailure
)

// errForeign is what a peer sends that is no HERD of this protocol.
var errForeign = errors.New("this is no dpukv HERD")

// writeFrame sends v as JSON.
func writeFrame(c net.Conn, k kind, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	frame := make([]byte, frameHeaderBytes, frameHeaderBytes+len(body))
	copy(frame, frameMagic)
	binary.LittleEndian.PutUint32(frame[8:], uint32(len(body)))
	frame[12], frame[13] = protocolVersion, byte(k)
	_, err = c.Write(append(frame, body...))
	return err
}

// readFrame reads one frame's kind and body.
func readFrame(r io.Reader) (kind, []byte, error) {
	var head [frameHeaderBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	length := binary.LittleEndian.Uint32(head[8:])
	switch {
	case string(head[:8]) != frameMagic:
		return 0, nil, fmt.Errorf("%w: a frame that starts with %q", errForeign, head[:8])
	case head[12] != protocolVersion:
		return 0, nil, fmt.Errorf("protocol version %d there, %d here: both ends must be the same build", head[12], protocolVersion)
	case length > maxBodyBytes:
		return 0, nil, fmt.Errorf("a frame of %d bytes: want at most %d", length, maxBodyBytes)
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	return kind(head[13]), body, err
}

// ask sends a frame and reads the answer into v.
func ask(c net.Conn, k kind, question any, want kind, v any) error {
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

// expect reads a frame of one kind, or the failure that comes instead.
func expect(c net.Conn, want kind, v any) error {
	got, body, err := readFrame(c)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s closed the connection: is it a dpukv HERD server?", c.RemoteAddr())
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
	return fmt.Errorf("%s sent a frame of kind %d, want %d", c.RemoteAddr(), got, want)
}
