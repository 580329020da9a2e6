package mica

import (
	"encoding/binary"
	"fmt"

	"dpukv/kvs"
	"dpukv/kvs/partition"
)

const opHeaderBytes = 16

// requestBytes returns the size of an operation in a frame.
func requestBytes(keyBytes, valueBytes int) int {
	return opHeaderBytes + padded(keyBytes) + padded(valueBytes)
}

// appendRequest appends an operation to a frame's body. The caller has checked its lengths.
func appendRequest(b []byte, op kvs.Op, hash uint64, key, value []byte) []byte {
	at := len(b)
	end := at + requestBytes(len(key), len(value))
	if end > cap(b) {
		b = append(make([]byte, 0, 2*end), b...)
	}
	b = b[:end]
	binary.LittleEndian.PutUint64(b[at:], uint64(op)|uint64(len(key))<<8|uint64(len(value))<<16)
	binary.LittleEndian.PutUint64(b[at+8:], hash)
	at += opHeaderBytes
	if len(key) == 8 { // the study's keys
		binary.LittleEndian.PutUint64(b[at:], binary.LittleEndian.Uint64(key))
	} else {
		copy(b[at:], key)
	}
	if len(value) > 0 { // most operations have none
		copy(b[at+padded(len(key)):], value)
	}
	return b
}

// parseRequest reads the operations of a request's body into ops, and returns ops with their number
// as its length. Keys and values point into body. It returns an error if body does not hold exactly
// count legal operations. Then the caller must not execute any of them.
func parseRequest(body []byte, count int, ops []partition.Op) ([]partition.Op, error) {
	ops = ops[:count]
	for i := range ops {
		if len(body) < opHeaderBytes {
			return nil, fmt.Errorf("operation %d of %d: found %d bytes, allowed: at least "+
				"%d", i, count,
				len(body), opHeaderBytes)
		}
		head := binary.LittleEndian.Uint64(body)
		code, keyBytes, valueBytes := kvs.Op(head), int(head>>8&0xff), int(head>>16&0xffff)
		valueAt := opHeaderBytes + padded(keyBytes)
		end := valueAt + padded(valueBytes)
		if !legal(code, keyBytes, valueBytes) || head>>32 != 0 || end > len(body) {
			return nil, fmt.Errorf("operation %d of %d: found op %d with a key of %d and a value "+
				"of %d bytes, reserved %#x, in %d bytes",
				i, count, code, keyBytes, valueBytes, head>>32, len(body))
		}
		op := &ops[i]
		op.Code = code
		op.Hash = binary.LittleEndian.Uint64(body[8:])
		op.Key = body[opHeaderBytes : opHeaderBytes+keyBytes : end]
		op.Value = body[valueAt : valueAt+valueBytes : end]
		body = body[end:]
	}
	if len(body) > 0 {
		return nil, fmt.Errorf("found %d bytes after the last of %d operations", len(body), count)
	}
	return ops, nil
}

func legal(code kvs.Op, keyBytes, valueBytes int) bool {
	if keyBytes == 0 {
		return false
	}
	switch code {
	case kvs.Set, kvs.Add:
		return true
	case kvs.Get, kvs.Delete:
		return valueBytes == 0
	}
	return false
}
