package memcached

import (
	"errors"
	"fmt"
	"strings"

	"dpukv/kvs"
	"dpukv/kvs/internal/counters"
)

var _ kvs.Roomy = (*Remote)(nil)

// pageBytes is the size of a page, of which each class of sizes takes as many as it needs.
const pageBytes = 1 << 20

// Room asks the server for its memory. Each class of sizes ("slab") is a part.
func (r *Remote) Room() (kvs.Room, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	general, err := r.control.stats("")
	var slabs map[string]string
	if err == nil {
		slabs, err = r.control.stats("slabs")
	}
	if err != nil {
		return kvs.Room{}, fmt.Errorf("ask memcached at %s for its memory: %w", r.peer.Addr, err)
	}
	return parseRoom(general, slabs, r.evictions)
}

func parseRoom(general, slabs map[string]string, evictions string) (kvs.Room, error) {
	p, s := counters.Reader{Text: general}, counters.Reader{Text: slabs}
	room := kvs.Room{
		Evicts: evictions != "off", Evicted: evicted(&p),
		Parts: map[string]kvs.RoomPart{},
	}
	if _, told := general["curr_items"]; told { // only a forecast needs it
		room.Evictable = p.Count("curr_items")
	}
	if evictions == "" {
		p.Untold = append(p.Untold, "evictions of stats settings")
	}
	limit, taken := p.Count("limit_maxbytes"), s.Count("total_malloced")
	room.Paged = p.Told("limit_maxbytes") && s.Told("total_malloced")
	if room.Paged && limit == 0 { // -m 0
		return kvs.Room{
			Untold: p.Untold, Evicted: room.Evicted,
			Parts: map[string]kvs.RoomPart{"": {UnitBytes: 1, Used: taken, Unbounded: true}},
		}, errors.Join(p.Err, s.Err)
	}
	room.Pool = max(limit, taken) - taken
	if _, told := general["slab_global_page_pool"]; told {
		room.Pool += p.Count("slab_global_page_pool") * pageBytes
	}
	for name := range slabs {
		class, ok := strings.CutSuffix(name, ":used_chunks")
		if !ok {
			continue
		}
		perPage := max(s.Count(class+":chunks_per_page"), 1)
		room.Parts[class] = kvs.RoomPart{
			UnitBytes: pageBytes / float64(perPage),
			Used:      s.Count(name), Free: s.Count(class + ":free_chunks"),
			ItemBytes: s.Count(class + ":chunk_size"),
		}
	}
	room.Untold = append(p.Untold, s.Untold...)
	return room, errors.Join(p.Err, s.Err)
}

// evicted counts the items that went for want of room. Some also go where a class takes a page from
// another one, in versions that do so.
func evicted(p *counters.Reader) uint64 {
	n := p.Count("evictions")
	for _, moved := range []string{"slab_reassign_evictions_nomem", "slab_reassign_busy_deletes"} {
		if _, told := p.Text[moved]; told {
			n += p.Count(moved)
		}
	}
	return n
}
