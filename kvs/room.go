package kvs

import (
	"maps"
	"slices"
)

// Roomy is a [Remote] whose server may hold items of others. It tells how much room they leave. Any
// goroutine may call Room.
type Roomy interface {
	Room() (Room, error)
}

// Room is what a server tells of its memory for items, and of the items that it evicted.
type Room struct {
	// Untold names the counters that the server does not tell. Parts is empty where one of the room
	// is among them.
	Untold []string `json:"untold,omitempty"`
	// Parts have free memory that only their own items can use: the nodes of a cluster, or classes
	// of sizes.
	Parts map[string]RoomPart `json:"parts,omitempty"`
	// Paged tells that parts are classes of sizes, which take pages from the pool. The class of an
	// item is known once it is stored.
	Paged bool   `json:"paged,omitempty"`
	Pool  uint64 `json:"pool,omitempty"` // bytes
	// Evicts tells that other items make room for new ones. Else a full server refuses writes.
	Evicts bool `json:"evicts,omitempty"`
	// Evicted counts the items that made room since the server's start, and Evictable those that
	// may have to.
	Evicted   uint64 `json:"evicted,omitempty"`
	Evictable uint64 `json:"evictable,omitempty"`
}

// RoomPart is a part of a server's memory, in units.
type RoomPart struct {
	UnitBytes float64 `json:"unit_bytes"`
	Used      uint64  `json:"used"`
	Free      uint64  `json:"free"`
	Unbounded bool    `json:"unbounded,omitempty"` // the server sets no limit
	// ItemBytes is the largest item of a class, with what the server adds to it.
	ItemBytes uint64 `json:"item_bytes,omitempty"`
}

// ClassOf returns the class of an item whose size is between two bounds; "": it is not known. A
// class that has no item yet is not listed, so one that is far larger does not count.
func (r *Room) ClassOf(least, most uint64) (name string) {
	best := most + most/4
	for n, p := range r.Parts {
		if p.ItemBytes >= most && p.ItemBytes < best {
			name, best = n, p.ItemBytes
		}
	}
	for _, p := range r.Parts {
		if p.ItemBytes >= least && p.ItemBytes < best {
			return "" // between two classes
		}
	}
	return name
}

// Told reports whether the server tells its room.
func (r *Room) Told() bool { return r.Paged || len(r.Parts) > 0 }

// Unbounded reports whether the server sets no limit at all.
func (r *Room) Unbounded() bool {
	for _, p := range r.Parts {
		if !p.Unbounded {
			return false
		}
	}
	return r.Told() && !r.Paged
}

// UsedBytes is the memory in use.
func (r *Room) UsedBytes() (sum float64) {
	for _, p := range r.Parts {
		sum += float64(p.Used) * p.UnitBytes
	}
	return sum
}

// FreeBytes is the room for items of the parts with these names. Without a name it is that of a
// server's nodes, or the pool, as the class of an item is not known.
func (r *Room) FreeBytes(parts ...string) float64 {
	sum := float64(r.Pool)
	for name, p := range r.Parts {
		if !p.Unbounded && (len(parts) == 0 && !r.Paged || slices.Contains(parts, name)) {
			sum += float64(p.Free) * p.UnitBytes
		}
	}
	return sum
}

// Grown returns by how many units each part has grown since an earlier time. It leaves out those
// that have not grown.
func (r *Room) Grown(since *Room) map[string]uint64 {
	grown := map[string]uint64{}
	for name, p := range r.Parts {
		if was := since.Parts[name].Used; p.Used > was {
			grown[name] = p.Used - was
		}
	}
	return grown
}

// Beyond returns the bytes that are free now, beyond a share of an earlier room.
func (r *Room) Beyond(share float64, was *Room) float64 {
	var names []string
	if r.Paged {
		names = slices.AppendSeq([]string{""}, maps.Keys(r.Grown(was)))
	}
	return r.FreeBytes(names...) - share*was.FreeBytes(names...)
}

// LeftOf returns the share of an earlier room that is still there: of a cluster, that of the
// fullest node; of classes, that of those which have grown.
func (r *Room) LeftOf(was *Room) float64 {
	if r.Paged {
		names := slices.AppendSeq([]string{""}, maps.Keys(r.Grown(was)))
		return share(r.FreeBytes(names...), was.FreeBytes(names...))
	}
	left := 1.0
	for name, p := range r.Parts {
		if !p.Unbounded {
			left = min(left, share(float64(p.Free), float64(was.Parts[name].Free)))
		}
	}
	return left
}

func share(now, was float64) float64 {
	if now >= was {
		return 1
	}
	return now / was
}
