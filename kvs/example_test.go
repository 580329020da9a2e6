package kvs_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"dpukv/hashbench"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"
)

// A session stores a key on a MICA server in the same process, and reads it back.
func Example() {
	server, err := mica.Start(mica.Config{
		Listen: "127.0.0.1:0", Workers: 1, PartitionsPerWorker: 1,
		Mode: partition.Cache, Access: partition.EREW, Items: 1000, LogBytes: 1 << 20,
		Hash: hashbench.Default,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	remote, err := mica.Dial(context.Background(), server.Addr())
	if err != nil {
		log.Fatal(err)
	}
	defer remote.Close()
	hash, err := hashbench.Lookup(remote.Facts().Hash)
	if err != nil {
		log.Fatal(err)
	}

	session, err := remote.Open(kvs.SessionOptions{Batch: 2, Window: 1, Connections: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	key := []byte("dpu")
	for _, r := range []kvs.Request{
		{Op: kvs.Set, Key: key, Value: []byte("BlueField"), Hash: hash.Sum64(key)},
		{Op: kvs.Get, Key: key, Hash: hash.Sum64(key)},
	} {
		if _, err := session.Submit(&r); err != nil {
			log.Fatal(err)
		}
	}
	for session.InFlight() > 0 {
		answers, err := session.Poll(nil, time.Second)
		if err != nil {
			log.Fatal(err)
		}
		for _, a := range answers {
			fmt.Printf("%s: %s %q\n", a.Op, a.Status, a.Value)
		}
	}
	// Output:
	// SET: ok ""
	// GET: ok "BlueField"
}
