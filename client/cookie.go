package client

import "dpukv/kvs"

// A cookie travels with each request and comes back with its answer, which holds no key. The cookie
// has all the data to check the answer, so that no table is needed:
//
//	bits 0–47 the key's index, 48–55 the operation, 56–62 the age class of the sending,
//	63 the operation belongs to the quota of Load.Requests
type cookie = uint64

const (
	keyBits    = 48
	opShift    = 48
	classShift = 56
	inQuota    = cookie(1) << 63
)

func newCookie(key uint64, op kvs.Op) cookie { return key | uint64(op)<<opShift }

func cookieKey(c cookie) uint64 { return c & (1<<keyBits - 1) }
func cookieOp(c cookie) kvs.Op  { return kvs.Op(c >> opShift) }
func cookieClass(c cookie) int  { return int(c >> classShift) }
