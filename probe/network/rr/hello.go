package rr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"dpukv/internal/foreign"
)

const (
	magic      = "dpukv-rr"
	version    = 1
	helloBytes = len(magic) + 8
	// maxReason is the longest reason of a refusal, in bytes.
	maxReason = 512
)

// appendHello appends a client's hello.
func appendHello(b []byte, bytes int) []byte {
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	return binary.LittleEndian.AppendUint32(b, uint32(bytes))
}

// checkHello refuses a hello that does not ask for messages of a size.
func checkHello(hello *[helloBytes]byte, bytes int) error {
	if string(hello[:len(magic)]) != magic {
		return errors.New("hello: found other bytes, allowed: those of a dpukv client of " +
			"request-response")
	}
	if v := binary.LittleEndian.Uint32(hello[len(magic):]); v != version {
		return fmt.Errorf("hello: found version %d, allowed: %d; use the same dpukv at both ends",
			v, version)
	}
	if n := binary.LittleEndian.Uint32(hello[len(magic)+4:]); uint64(n) != uint64(bytes) {
		return fmt.Errorf("hello: found messages of %d bytes, allowed: %d", n, bytes)
	}
	return nil
}

// welcome is the answer to a good hello.
var welcome = []byte{0, 0}

// refusal is the answer to any other hello.
func refusal(why error) []byte {
	reason := foreign.Clip(why.Error(), maxReason)
	return append(binary.LittleEndian.AppendUint16(nil, uint16(len(reason))), reason...)
}

// readWelcome reads the answer to a hello.
func readWelcome(r io.Reader) error {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return fmt.Errorf("the server closed the connection: check that it is a dpukv server of "+
			"request-response (%w)", err)
	}
	n := binary.LittleEndian.Uint16(head[:])
	if n == 0 {
		return nil
	}
	reason := make([]byte, min(n, maxReason))
	got, err := io.ReadFull(r, reason)
	if got == 0 {
		return err
	}
	reason = reason[:got]
	return fmt.Errorf("the server says: %s", foreign.Reason(reason))
}
