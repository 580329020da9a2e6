package mqueue

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// pollUntilError polls until the lane ends.
func pollUntilError(t *testing.T, e *End) error {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if _, err := e.Poll(); err != nil {
			_, again := e.Poll()
			if !errors.Is(again, err) {
				t.Errorf("first %v, then %v", err, again)
			}
			if _, ok := e.Receive(); ok {
				t.Error("a lane that has ended has a message")
			}
			return err
		}
		must.Get(e.rest())(t)
	}
	t.Fatal("the end of the peer shows nowhere")
	return nil
}

// TestPeerCloses checks that each end notices the other one's end.
func TestPeerCloses(t *testing.T) {
	for name, open := range providers {
		for _, ownerEnds := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				stays, ends := lane(t, open, Config{Shape: Shape{4, 64}})
				if ownerEnds {
					stays, ends = ends, stays
				}
				must.Do(t, ends.Close())
				err := pollUntilError(t, stays)
				checkError(t, err, "lane over "+stays.device.Info().Name)
			})
		}
	}
}

// TestPeerIsSilent checks a peer that is cut off: its device answers nothing, and its side channel
// stays open. The mover's READs then end the lane.
func TestPeerIsSilent(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for seconds until a silent peer is given up")
	}
	_, mover := lane(t, openSoftRoCE, Config{Shape: Shape{4, 64}})
	checkError(t, pollUntilError(t, mover), verbs.StatusRetryExceeded.String())
}

const peerVariable = "DPUKV_TEST_LANE_PEER"

// TestPeerIsKilled kills the owner's process while the mover requests.
func TestPeerIsKilled(t *testing.T) {
	if address := os.Getenv(peerVariable); address != "" {
		serveForever(t, address)
		return
	}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	child := exec.Command(os.Args[0], "-test.run=^TestPeerIsKilled$")
	child.Env = append(os.Environ(), peerVariable+"="+l.Addr().String())
	must.Do(t, child.Start())
	defer child.Wait()
	defer child.Process.Kill()
	conn := must.Get(l.Accept())(t)
	mover := must.Get(Accept(sidechannel.New(conn), openSHM(t, 1), Anything))(t)
	defer mover.Close()
	must.Do(t, sendAll(mover, 100))
	must.Do(t, child.Process.Kill())
	checkError(t, pollUntilError(t, mover), "the peer is gone")
}

// serveForever is the child: it answers until it is killed.
func serveForever(t *testing.T, address string) {
	conn := must.Get(net.Dial("tcp", address))(t)
	owner := must.Get(Offer(sidechannel.New(conn), Config{Shape: Shape{4, 64}, Device: openSHM(t, 0)}))(t)
	t.Log(answer(owner, 1<<30))
}

// TestStalledPeer checks that a side channel without an answer ends within the timeout.
func TestStalledPeer(t *testing.T) {
	a, b := channels(t)
	defer b.Close()
	_, err := Offer(a, Config{Shape: Shape{4, 64}, Device: openSHM(t, 0), Timeout: 50 * time.Millisecond})
	checkError(t, err, "i/o timeout")
}

// TestPeerTalks checks that a value on the side channel after the last step ends the lane.
func TestPeerTalks(t *testing.T) {
	owner, mover := lane(t, openSHM, Config{Shape: Shape{4, 64}})
	must.Do(t, mover.channel.Send("more"))
	checkError(t, pollUntilError(t, owner), "found a value")
}

// connectBoth runs both ends at once, and returns their errors.
func connectBoth(
	t *testing.T, cfg Config, dev verbs.Device,
) (ownerErr, moverErr error) {
	t.Helper()
	a, b := channels(t)
	var both sync.WaitGroup
	for err, connect := range map[*error]func() (*End, error){
		&ownerErr: func() (*End, error) { return Offer(a, cfg) },
		&moverErr: func() (*End, error) { return Accept(b, dev, Anything) },
	} {
		both.Go(func() {
			var e *End
			if e, *err = connect(); *err == nil {
				_ = e.Close()
			}
		})
	}
	both.Wait()
	return ownerErr, moverErr
}

// poor is a device without memory to lock.
type poor struct{ verbs.Device }

type poorPD struct{ verbs.PD }

var errPoor = errors.New("found too little memory to lock")

func (d poor) AllocPD() (verbs.PD, error) {
	pd, err := d.Device.AllocPD()
	return poorPD{pd}, err
}

func (poorPD) AllocMR(int, verbs.Access) (verbs.MR, error) { return nil, errPoor }

// TestPeerLearnsWhy checks that the reason of an end that can make no lane reaches the other one.
func TestPeerLearnsWhy(t *testing.T) {
	shape := Shape{4, 64}
	for name, test := range map[string]struct {
		owner       Config
		mover       verbs.Device
		want, alien string // in both errors; in that of the end without fault
	}{
		"owner":  {Config{Shape: shape, Device: poor{openSHM(t, 0)}}, openSHM(t, 1), errPoor.Error(), "mover"},
		"mover":  {Config{Shape: shape, Device: openSHM(t, 0)}, poor{openSHM(t, 1)}, errPoor.Error(), "owner"},
		"config": {Config{Shape: Shape{3, 64}, Device: openSHM(t, 0)}, openSHM(t, 1), "found 3", "mover"},
		"order": {
			Config{Shape: shape, Device: openSHM(t, 0)},
			&broken{Device: openSHM(t, 1), after: 30},
			errBroken.Error(), "owner",
		},
	} {
		t.Run(name, func(t *testing.T) {
			ownerErr, moverErr := connectBoth(t, test.owner, test.mover)
			checkError(t, ownerErr, test.want)
			checkError(t, moverErr, test.want)
			told := map[string]error{"owner": ownerErr, "mover": moverErr}[test.alien]
			checkError(t, told, "the peer refuses")
		})
	}
}

// broken is a device that posts only so many lists, or in its own way.
type broken struct {
	verbs.Device
	after int
	post  func(verbs.QP, []verbs.SendWR) error
}

type brokenPD struct {
	verbs.PD
	device *broken
}

type brokenQP struct {
	verbs.QP
	device *broken
}

var errBroken = errors.New("the device is broken")

func (d *broken) AllocPD() (verbs.PD, error) {
	pd, err := d.Device.AllocPD()
	return brokenPD{pd, d}, err
}

func (p brokenPD) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	qp, err := p.PD.CreateQP(cfg)
	return brokenQP{qp, p.device}, err
}

func (q brokenQP) PostSend(wrs []verbs.SendWR) (int, error) {
	if q.device.post != nil {
		return len(wrs), q.device.post(q.QP, wrs)
	}
	if q.device.after--; q.device.after < 0 {
		return 0, errBroken
	}
	return q.QP.PostSend(wrs)
}

// TestPeerEndsInCheck checks that the end of the peer ends a check of the order. Only that can: the
// test has no other limit.
func TestPeerEndsInCheck(t *testing.T) {
	a, b := channels(t)
	ended := make(chan error, 1)
	go func() {
		_, err := Offer(a, Config{Shape: Shape{4, 64}, Device: openSHM(t, 0), Timeout: time.Hour})
		ended <- err
	}()
	mover := &End{channel: b, device: openSHM(t, 1)}
	must.Do(t, mover.accept(Anything))
	must.Do(t, mover.Close())
	checkError(t, <-ended, "check of the order of bytes: the peer is gone")
}
