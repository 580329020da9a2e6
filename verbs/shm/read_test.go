package shm

import (
	"math/rand/v2"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/verbs"
)

const (
	readBytes = 512 // a bucket of eight lines
	readBatch = 32
	readFrom  = 128 << 20 // more than the caches hold
)

// read is a READ of a place of a peer.
func (e *end) read(of *end, into, place int) verbs.SendWR {
	return verbs.SendWR{
		ID: uint64(into), Op: verbs.OpRead, Local: e.sge(into, readBytes),
		Remote: of.mr.Addr() + uint64(place), RKey: of.mr.RKey(), Flags: verbs.Signaled,
	}
}

// randomReads returns lists of READs of random places of b's region into a's, and the places.
func randomReads(a, b *end, lists int) (wrs [][]verbs.SendWR, places []int) {
	r := rand.New(rand.NewPCG(1, 2))
	size := b.mr.Region().Length
	for range lists {
		list := make([]verbs.SendWR, readBatch)
		for i := range list {
			place := r.IntN(size/readBytes) * readBytes
			places = append(places, place)
			list[i] = a.read(b, i*readBytes, place)
			if i < readBatch-1 {
				list[i].Flags = 0
			}
		}
		wrs = append(wrs, list)
	}
	return wrs, places
}

// BenchmarkRead compares lists of READs with bare copies of the same places.
func BenchmarkRead(b *testing.B) {
	a, z := pair(b, verbs.RC)
	z.mr = must.Get(z.pd.AllocMR(readFrom, verbs.LocalWrite|verbs.RemoteRead))(b)
	wrs, places := randomReads(a, z, 1024)
	b.Run("verbs", func(b *testing.B) {
		wcs := make([]verbs.WC, 8)
		for i := 0; i < b.N; i += readBatch {
			a.post(b, wrs[i/readBatch%len(wrs)]...)
			a.cq.Poll(wcs)
		}
	})
	b.Run("copy", func(b *testing.B) {
		from, into := z.mr.Bytes(), a.mr.Bytes()
		for i := range b.N {
			place := places[i%len(places)]
			copy(into[i%readBatch*readBytes:][:readBytes], from[place:])
		}
	})
}

// TestListOfReads: each READ of a list fills its own place. The first wrong one ends the queue pair:
// those before it are done, those behind it are not.
func TestListOfReads(t *testing.T) {
	for name, spoil := range map[string]func(*verbs.SendWR){
		"":         nil,
		"remote":   func(wr *verbs.SendWR) { wr.Remote += endBytes },
		"rkey":     func(wr *verbs.SendWR) { wr.RKey++ },
		"lkey":     func(wr *verbs.SendWR) { wr.Local.LKey++ },
		"local":    func(wr *verbs.SendWR) { wr.Local.Addr += endBytes },
		"op":       func(wr *verbs.SendWR) { wr.Op = 99 },
		"no write": nil, // local memory without the permission
	} {
		t.Run(name, func(t *testing.T) { testListOfReads(t, name, spoil) })
	}
}

func testListOfReads(t *testing.T, name string, spoil func(*verbs.SendWR)) {
	a, b := pair(t, verbs.RC)
	if name == "no write" {
		a.mr = must.Get(a.pd.AllocMR(endBytes, verbs.RemoteRead))(t)
	}
	for i := range b.mr.Bytes() {
		b.mr.Bytes()[i] = byte(i / readBytes)
	}
	list := make([]verbs.SendWR, readBatch)
	for i := range list {
		list[i] = a.read(b, i*readBytes, (7*i+1)%readBatch*readBytes)
	}
	right := readBatch
	if spoil != nil {
		right = 20
		spoil(&list[right])
	} else if name != "" {
		right = 0
	}
	a.post(t, list...)
	wcs := make([]verbs.WC, 2*readBatch)
	for i, wc := range wcs[:must.Get(a.cq.Poll(wcs))(t)] {
		if ok := wc.Status == verbs.StatusSuccess; ok != (i < right) {
			t.Errorf("READ %d of %d right ones: status %v", i, right, wc.Status)
		}
	}
	for i := range list {
		want := byte(0)
		if i < right {
			want = byte((7*i + 1) % readBatch)
		}
		if got := a.mr.Bytes()[i*readBytes : (i+1)*readBytes]; got[0] != want || got[readBytes-1] != want {
			t.Errorf("READ %d read %d and %d, want %d", i, got[0], got[readBytes-1], want)
		}
	}
}
