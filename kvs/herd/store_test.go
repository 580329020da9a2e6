//go:build !amd64 || race

package herd

import "sync/atomic"

func storeWord(at *uint64, v uint64) { atomic.StoreUint64(at, v) }
