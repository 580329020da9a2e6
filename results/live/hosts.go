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

// hosts are the accepted host names of requests.
type hosts []string

// hostsOf returns the host of the listening address, and this machine's name.
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

// plain normalizes a host name for comparison.
func plain(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// only refuses requests for other hosts. A foreign page can let its own name resolve to this
// server, and the browser would then let the page read the answers.
func (h hosts) only(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.allow(r) {
			next.ServeHTTP(w, r)
			return
		}
		reason := fmt.Sprintf("host: found %q, allowed: %s, or the address itself", r.Host,
			strings.Join(h, ", "))
		http.Error(w, reason, http.StatusMisdirectedRequest)
	})
}

// allow accepts any port number: it may be the port of a tunnel.
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
