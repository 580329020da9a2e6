package verbs

import (
	"errors"
	"fmt"
)

// WCStatus is the result of a work request. Names and numbers are those of libibverbs.
type WCStatus uint8

// These are the statuses that occur.
const (
	StatusSuccess       WCStatus = 0
	StatusLocalLength   WCStatus = 1
	StatusLocalQPOp     WCStatus = 2
	StatusLocalProtect  WCStatus = 4
	StatusFlushed       WCStatus = 5
	StatusRemoteInvalid WCStatus = 9
	StatusRemoteAccess  WCStatus = 10
	StatusRemoteOp      WCStatus = 11
	StatusRetryExceeded WCStatus = 12
	StatusRNRExceeded   WCStatus = 13
	StatusGeneral       WCStatus = 21
)

var statusNames = map[WCStatus]string{
	StatusSuccess: "success", StatusLocalLength: "local length error",
	StatusLocalQPOp:    "local QP operation error",
	StatusLocalProtect: "local protection error", StatusFlushed: "work request flushed",
	StatusRemoteInvalid: "remote invalid request", StatusRemoteAccess: "remote access error",
	StatusRemoteOp:      "remote operation error",
	StatusRetryExceeded: "transport retry counter exceeded",
	StatusRNRExceeded:   "RNR retry counter exceeded", StatusGeneral: "general error",
}

func (s WCStatus) String() string {
	if name, ok := statusNames[s]; ok {
		return name
	}
	return fmt.Sprintf("WCStatus(%d)", uint8(s))
}

// These errors are for errors.Is.
var (
	// ErrNotSupported: the device, or this build, does not support the operation.
	ErrNotSupported = errors.New("not supported")
	// ErrQueueFull: the queue has no room for another work request.
	ErrQueueFull = errors.New("queue full")
	// ErrClosed: the object was closed.
	ErrClosed = errors.New("closed")
)
