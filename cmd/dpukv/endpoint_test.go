package main

import (
	"net"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestOnLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:7791": true, "127.9.9.9:1": true, "[::1]:7791": true, "localhost:7791": true,
		":7791": false, "0.0.0.0:7791": false, "[::]:7791": false, "10.0.0.1:7791": false,
		"no.such.name.invalid:1": false, "": false, "nonsense": false,
	} {
		if got := onLoopback(addr); got != want {
			t.Errorf("onLoopback(%q) is %v, want %v", addr, got, want)
		}
	}
}

func TestSentenceBeyondLoopback(t *testing.T) {
	var said strings.Builder
	if err := warnBeyondLoopback(&said, "127.0.0.1:1"); err != nil || said.Len() > 0 {
		t.Errorf("on loopback: %q, %v", said.String(), err)
	}
	err := warnBeyondLoopback(&said, "0.0.0.0:1")
	if err != nil || !strings.Contains(said.String(), "without authentication") {
		t.Errorf("on all interfaces: %q, %v", said.String(), err)
	}
}

// TestServersListenOnLoopback: no flag's default admits other machines, in any command.
func TestServersListenOnLoopback(t *testing.T) {
	checked := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			check(sub)
		}
		listen := cmd.Flags().Lookup("listen")
		if listen == nil {
			return
		}
		checked++
		addr := listen.DefValue
		if net.ParseIP(addr) != nil { // the port is another flag's
			addr = net.JoinHostPort(addr, "0")
		}
		if !onLoopback(addr) {
			t.Errorf("%s listens on %s by default", cmd.CommandPath(), listen.DefValue)
		}
		if cmd.Parent().Name() == "serve" && !strings.Contains(cmd.Long, trustHelp) {
			t.Errorf("%s does not say that there is no authentication", cmd.CommandPath())
		}
	}
	check(newRootCommand())
	if checked < 4 {
		t.Errorf("%d commands have --listen, want at least the four servers", checked)
	}
}
