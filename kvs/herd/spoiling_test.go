package herd

import (
	"errors"
	"net/netip"
	"sync/atomic"

	"dpukv/verbs"
	"dpukv/verbs/provider"
	"dpukv/verbs/verbstest"
)

func netAddr(text string) netip.Addr { return netip.MustParseAddr(text) }

// softRoCEPair are the devices of a server and its client.
func softRoCEPair() (server, client string) {
	return "softroce:" + verbstest.Addr(1), "softroce:" + verbstest.Addr(2)
}

// counting is a device that counts protection domains.
type counting struct {
	verbs.Device
	domains atomic.Int64
}

func (d *counting) opener(name string, opts *provider.Options) (_ verbs.Device, err error) {
	d.Device, err = openDevice(name, opts)
	return d, err
}

func (d *counting) AllocPD() (verbs.PD, error) {
	d.domains.Add(1)
	return countedPD{d.Device}.alloc()
}

// countedPD is another value for each domain, whatever the provider returns.
type countedPD struct{ device verbs.Device }

type ownPD struct {
	verbs.PD
	_ byte
}

func (c countedPD) alloc() (verbs.PD, error) {
	pd, err := c.device.AllocPD()
	return &ownPD{PD: pd}, err
}

// spoiling is a device that does not send to one queue pair, and does not close, when it is told
// so.
type spoiling struct {
	verbs.Device
	qpn                 atomic.Uint32
	refuse, fail, stuck atomic.Bool
}

var (
	errRefused = errors.New("the device does not take this")
	errStuck   = errors.New("stuck")
)

func (d *spoiling) opener(name string, opts *provider.Options) (_ verbs.Device, err error) {
	d.Device, err = openDevice(name, opts)
	return d, err
}

func (d *spoiling) AllocPD() (verbs.PD, error) {
	pd, err := d.Device.AllocPD()
	return spoilingPD{pd, d}, err
}

func (d *spoiling) CreateCQ(depth int) (verbs.CQ, error) {
	cq, err := d.Device.CreateCQ(depth)
	return &spoilingCQ{CQ: cq}, err
}

type spoilingCQ struct {
	verbs.CQ
	failed []verbs.WC
}

func (q *spoilingCQ) Poll(wcs []verbs.WC) (int, error) {
	n, err := q.CQ.Poll(wcs)
	if err == nil && n < len(wcs) && len(q.failed) > 0 {
		m := copy(wcs[n:], q.failed)
		q.failed = q.failed[m:]
		n += m
	}
	return n, err
}

type spoilingPD struct {
	verbs.PD
	device *spoiling
}

func (p spoilingPD) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	cq := cfg.SendCQ.(*spoilingCQ)
	cfg.SendCQ, cfg.RecvCQ = cq.CQ, cfg.RecvCQ.(*spoilingCQ).CQ
	qp, err := p.PD.CreateQP(cfg)
	return &spoilingQP{qp, p.device, cq}, err
}

type spoilingQP struct {
	verbs.QP
	device *spoiling
	cq     *spoilingCQ
}

func (q *spoilingQP) PostSend(wrs []verbs.SendWR) (int, error) {
	d := q.device
	for i := range wrs {
		if wr := &wrs[i]; q.Type() != verbs.UD || wr.QPN != d.qpn.Load() {
			continue
		}
		if d.refuse.Load() {
			if i > 0 {
				if n, err := q.QP.PostSend(wrs[:i]); err != nil {
					return n, err
				}
			}
			return i, errRefused
		}
		if d.fail.Load() {
			q.cq.failed = append(q.cq.failed, verbs.WC{ID: wrs[i].ID, Status: verbs.StatusLocalQPOp})
		}
	}
	return q.QP.PostSend(wrs)
}

func (q *spoilingQP) Close() error {
	if q.device.stuck.Load() && q.Type() == verbs.UC {
		return errStuck
	}
	return q.QP.Close()
}
