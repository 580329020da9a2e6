package mqueue

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

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
		if err := e.rest(); err != nil {
			t.Fatal(err)
		}
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
				if err := ends.Close(); err != nil {
					t.Fatal(err)
				}
				err := pollUntilError(t, stays)
				checkError(t, err, "lane over "+stays.device.Info().Name)
			})
		}
	}
}

// TestPeerIsSilent checks a peer that is cut off: its device answers nothing, and its side channel
// stays open. The mover's READs then end the lane.
func TestPeerIsSilent(t *testing.T) {
	_, mover := lane(t, openSoftRoCE, Config{Shape: Shape{4, 64}})
	checkError(t, pollUntilError(t, mover), verbs.StatusRetryExceeded.String())
}

const peerVariable = "DPUKV_TEST_LANE_PEER"

// TestPeerIsKilled kills the owner's process while the mover asks.
func TestPeerIsKilled(t *testing.T) {
	if address := os.Getenv(peerVariable); address != "" {
		serveForever(t, address)
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	child := exec.Command(os.Args[0], "-test.run=^TestPeerIsKilled$")
	child.Env = append(os.Environ(), peerVariable+"="+l.Addr().String())
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	mover, err := Accept(sidechannel.New(conn), openSHM(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer mover.Close()
	if err := ask(mover, 100); err != nil {
		t.Fatal(err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	checkError(t, pollUntilError(t, mover), "the peer is gone")
}

// serveForever is the child: it answers until it is killed.
func serveForever(t *testing.T, address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := Offer(sidechannel.New(conn), Config{Shape: Shape{4, 64}, Device: openSHM(t, 0)})
	if err != nil {
		t.Fatal(err)
	}
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
	if err := mover.channel.Send("more"); err != nil {
		t.Fatal(err)
	}
	checkError(t, pollUntilError(t, owner), "found a value")
}
