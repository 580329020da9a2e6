package mica

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// These are limits of the protocol. The handshake reports them.
const (
	// MaxBatch is the most operations in one frame.
	MaxBatch = 4096
	// MaxFrameBytes is the most bytes in one frame, either way.
	MaxFrameBytes = 8 << 20
)

const (
	protocolVersion = 1
	headerBytes     = 16
	magic           = "dpukv\x00M1"
)

// checkFrame refuses a batch whose values may exceed a frame. Its answers are shorter than a
// request with all values.
func checkFrame(batch, keyBytes, valueBytes, most int) error {
	need := headerBytes + batch*requestBytes(keyBytes, valueBytes)
	if need <= most {
		return nil
	}
	return fmt.Errorf("batch: found %d operations with values of up to %d bytes, together %d, "+
		"allowed with mica: frames of at most %d; use a smaller batch", batch, valueBytes, need,
		most)
}

// kind is the kind of a frame.
type kind uint8

const (
	kindHello kind = 1 + iota
	kindWelcome
	kindRequest
	kindAnswer
	kindAsk
	kindStats
	kindFailure
)

// header is the start of every frame.
type header struct {
	bytes    int // of the frame, header included
	version  uint8
	kind     kind
	count    int
	sequence uint64
}

// errVersion marks a frame of another protocol version.
var errVersion = errors.New("protocol version")

// parseHeader reads the first headerBytes of b and checks everything that they determine.
func parseHeader(b []byte) (header, error) {
	h := header{
		bytes:    int(binary.LittleEndian.Uint32(b)),
		version:  b[4],
		kind:     kind(b[5]),
		count:    int(binary.LittleEndian.Uint16(b[6:])),
		sequence: binary.LittleEndian.Uint64(b[8:]),
	}
	switch {
	case h.version != protocolVersion:
		return h, fmt.Errorf("%w: found %d, allowed: %d", errVersion, h.version, protocolVersion)
	case h.bytes < headerBytes || h.bytes > MaxFrameBytes:
		return h, fmt.Errorf("frame: found %d bytes, allowed: %d to %d", h.bytes, headerBytes,
			MaxFrameBytes)
	case h.count > MaxBatch:
		return h, fmt.Errorf("frame: found %d operations, allowed: at most %d", h.count, MaxBatch)
	}
	return h, nil
}

// putHeader writes h into the first headerBytes of b.
func putHeader(b []byte, h header) {
	binary.LittleEndian.PutUint32(b, uint32(h.bytes))
	b[4] = protocolVersion
	b[5] = byte(h.kind)
	binary.LittleEndian.PutUint16(b[6:], uint16(h.count))
	binary.LittleEndian.PutUint64(b[8:], h.sequence)
}

// control makes a frame without operations.
func control(k kind, sequence uint64, body []byte) []byte {
	b := make([]byte, headerBytes, headerBytes+len(body))
	putHeader(b, header{bytes: headerBytes + len(body), kind: k, sequence: sequence})
	return append(b, body...)
}

func padded(n int) int { return (n + 7) &^ 7 }
