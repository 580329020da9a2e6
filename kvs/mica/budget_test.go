package mica

import (
	"errors"
	"testing"

	"dpukv/internal/offheap"
)

// TestBuffersFit checks the memory of buffers. Default buffers, and with them the connections,
// shrink to the available memory. Explicitly requested ones are an error if there is not enough.
func TestBuffersFit(t *testing.T) {
	full := errors.New("no memory")
	most := func(bytes int64) func(int64, offheap.Pages) error {
		return func(size int64, _ offheap.Pages) error {
			if size > bytes {
				return full
			}
			return nil
		}
	}
	for name, test := range map[string]struct {
		cfg         Config
		memory      int64
		buffers     int64
		connections int
		err         error
	}{
		"enough":               {Config{MaxConnections: 100}, 1 << 30, DefaultBufferBytes, 100, nil},
		"half":                 {Config{MaxConnections: 100}, 200 << 20, 128 << 20, 100, nil},
		"a few":                {Config{}, 9 << 20, 8 << 20, 256, nil},
		"less than a few":      {Config{}, 1<<20 - 1, 0, 0, full},
		"asked for, too many":  {Config{MaxConnections: 100, BufferBytes: 64 << 20}, 32 << 20, 0, 0, full},
		"asked for, and there": {Config{MaxConnections: 100, BufferBytes: 64 << 20}, 64 << 20, 64 << 20, 100, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := test.cfg
			err := c.limitResources(most(test.memory))
			if !errors.Is(err, test.err) {
				t.Fatalf("got %v, want %v", err, test.err)
			}
			if err == nil && (c.BufferBytes != test.buffers || c.MaxConnections != test.connections) {
				t.Errorf("%d connections with %d bytes, want %d with %d",
					c.MaxConnections, c.BufferBytes, test.connections, test.buffers)
			}
		})
	}
}
