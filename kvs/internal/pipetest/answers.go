package pipetest

import (
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"dpukv/internal/foreign"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/kvstest"
)

// Password is what no error may quote.
const Password = "hush-hush"

// Credentials are those of a user with a password.
func Credentials(password string) kvs.Credentials {
	return kvs.Credentials{Password: kvs.NewSecret(password)}
}

// Refused compares an error with what it must contain, and with what it must not. An empty want is
// for no error.
func Refused(t *testing.T, err error, want string) {
	t.Helper()
	must.Fail(t, err, want)
	if contains(err, Password) {
		t.Errorf("the error quotes the password: %v", err)
	}
}

func contains(err error, text string) bool {
	return err != nil && strings.Contains(err.Error(), text)
}

// Strangers checks that a dial takes nothing that says this for a server of the store.
func Strangers[R io.Closer](t *testing.T, dial func(addr string) (R, error), says ...string) {
	says = append(says, "", "SSH-2.0-OpenSSH_9.2\r\n", strings.Repeat("x", 10_000))
	for _, says := range says {
		if r, err := dial(kvstest.Stranger(t, says)); err == nil {
			r.Close()
			t.Errorf("%.30q was taken for the store", says)
		}
	}
}

// Hostile checks that a server which sends unit without an end exhausts neither the memory nor the
// stack: ask fails with what is wanted, in a text of most reasons' length.
func Hostile(t *testing.T, ask func(net.Conn) error, unit, want string, most int) {
	// In a bubble, no time passes while bytes flow: how fast the machine is decides nothing.
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			go io.Copy(io.Discard, there)
			for units := strings.Repeat(unit, 1+(1<<16)/len(unit)); ; {
				if _, err := io.WriteString(there, units); err != nil {
					return
				}
			}
		}()
		if err := ask(here); !contains(err, want) || len(err.Error()) > most*foreign.MaxReason {
			t.Errorf("got %.200v, want %s", err, want)
		}
		here.Close()
		<-ended
		there.Close()
	})
}

// Reads checks what a wire makes of an answer to an op: an outcome, or an error that contains
// fails.
func Reads(
	t *testing.T, wire pipeline.Wire, in string, op kvs.Op, want pipeline.Outcome, fails string,
) {
	t.Helper()
	o, err := wire.Read([]byte(in), op)
	o.Bytes = max(o.Bytes, 0)
	if fails == "" && (err != nil || o != want) || fails != "" && !contains(err, fails) {
		t.Errorf("%.50q to a %s: got %+v, %v, want %+v %s", in, op, o, err, want, fails)
	}
}
