package verbs_test

import (
	"fmt"
	"log"

	"dpukv/verbs"
	"dpukv/verbs/shm"
)

// end is one side of a connection.
type end struct {
	device verbs.Device
	cq     verbs.CQ
	mr     verbs.MR
	qp     verbs.QP
}

func open() *end {
	device, err := shm.Open(shm.Config{})
	if err != nil {
		log.Fatal(err)
	}
	e := &end{device: device}
	pd, err := e.device.AllocPD()
	if err != nil {
		log.Fatal(err)
	}
	if e.cq, err = e.device.CreateCQ(16); err != nil {
		log.Fatal(err)
	}
	if e.mr, err = pd.AllocMR(4096, verbs.LocalWrite|verbs.RemoteWrite); err != nil {
		log.Fatal(err)
	}
	e.qp, err = pd.CreateQP(verbs.QPConfig{
		Type: verbs.UC, SendCQ: e.cq, RecvCQ: e.cq, MaxSend: 16,
	})
	if err != nil {
		log.Fatal(err)
	}
	return e
}

// A device writes into the memory of another. Any provider works the same way:
// [dpukv/verbs/provider] opens one by its name.
func Example() {
	a, b := open(), open()
	defer a.device.Close()
	defer b.device.Close()

	// Two processes exchange their endpoints, see package sidechannel.
	if err := a.qp.Connect(b.qp.Local()); err != nil {
		log.Fatal(err)
	}
	if err := b.qp.Connect(a.qp.Local()); err != nil {
		log.Fatal(err)
	}

	n := copy(a.mr.Bytes(), "hello, verbs")
	target := b.mr.Region()
	_, err := a.qp.PostSend([]verbs.SendWR{{
		ID: 1, Op: verbs.OpWrite, Flags: verbs.Signaled,
		Local:  verbs.SGE{Addr: a.mr.Addr(), Length: uint32(n), LKey: a.mr.LKey()},
		Remote: target.Addr, RKey: target.RKey,
	}})
	if err != nil {
		log.Fatal(err)
	}
	wcs := make([]verbs.WC, 1)
	for got := 0; got == 0; {
		if got, err = a.cq.Poll(wcs); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("request %d: %s\n", wcs[0].ID, wcs[0].Status)
	fmt.Printf("%s\n", b.mr.Bytes()[:n])
	// Output:
	// request 1: success
	// hello, verbs
}
