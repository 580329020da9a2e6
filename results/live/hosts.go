package live

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// hosts are the names by which the server may be asked for.
type hosts []string

// hostsOf are the host of the address that was given to listen at, and this machine's name.
func hostsOf(address string) hosts {
	list := hosts{"localhost"}
	own, _ := os.Hostname() // without one, it is not a name to ask by
	given, _, _ := net.SplitHostPort(address)
	for _, name := range []string{given, own} {
		if name = plain(name); name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// plain is a host as names are compared.
func plain(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// only refuses requests for other hosts: a page of somebody else can have its own name lead to this
// server, and the browser then lets it read the answers.
func (h hosts) only(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.allow(r) {
			next.ServeHTTP(w, r)
			return
		}
		reason := fmt.Sprintf("found the host %q, allowed: %s, or the address itself", r.Host, strings.Join(h, ", "))
		http.Error(w, reason, http.StatusMisdirectedRequest)
	})
}

// allow takes a port of any number: it may be that of a tunnel.
func (h hosts) allow(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = plain(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if slices.Contains(h, host) || strings.HasSuffix(host, ".localhost") {
		return true
	}
	asked, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	asked = asked.Unmap()
	if asked.IsLoopback() { // the other end of a tunnel
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return local != nil && asked.WithZone("") == local.AddrPort().Addr().Unmap().WithZone("")
}
