package main

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dpukv/client"
	"dpukv/client/ownkeys"
	"dpukv/internal/infile"
	"dpukv/internal/numfmt"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/verbs/provider"
)

// deviceHelp holds the help texts that differ between a server's device flags and a client's.
type deviceHelp struct {
	device string // help of --device
	value  string // its default
	prefix string // before the help of the others
	mtu    string // whose MTU
}

// addDeviceFlags adds the flags that name a verbs device and its options.
func addDeviceFlags(flags *pflag.FlagSet, d *kvs.Device, help deviceHelp) {
	flags.StringVar(&d.Name, "device", help.value, help.device)
	flags.IntVar(&d.GIDIndex, "gid-index", provider.Defaults.GIDIndex,
		help.prefix+"index into the port's GID table; -1: its RoCE v2 IPv4 GID")
	flags.IntVar(&d.MTU, "mtu", provider.Defaults.MTU,
		help.prefix+"path MTU in bytes, 256 to 4096"+help.mtu+" (default: the port's)")
}

// trustHelp is the text on trust in each server's help: which peers may do what.
const trustHelp = `

The server does not authenticate clients: whoever reaches its address can read, write and delete every
item. It listens on loopback unless --listen names another address. docs/SECURITY.md says what one
client can do to others.`

// warnBeyondLoopback prints the warning if a server listens for other machines.
func warnBeyondLoopback(w io.Writer, addr string) error {
	if onLoopback(addr) {
		return nil
	}
	_, err := fmt.Fprintf(w, "dpukv: %s is reachable from other machines, without "+
		"authentication: whoever reaches it can read, write and delete every item "+
		"(docs/SECURITY.md)\n", addr)
	return err
}

// onLoopback reports whether only this machine reaches an address. A name counts as loopback if all
// of its addresses are loopback.
func onLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || host == "" {
		return false
	}
	ips := []net.IP{net.ParseIP(host)}
	if ips[0] == nil {
		if ips, err = net.LookupIP(host); err != nil {
			return false
		}
	}
	return !slices.ContainsFunc(ips, func(ip net.IP) bool { return !ip.IsLoopback() })
}

// credentialFlags are what lets a client into a server that runs already.
type credentialFlags struct {
	password             string // files
	ca, certificate, key string
	serverName           string
	insecure             bool
}

// maxCredentialBytes exceeds any password and any bundle of CAs.
const maxCredentialBytes = 4 << 20

// add adds the flags. A condition stands before each help text; "": none.
func (f *credentialFlags) add(flags *pflag.FlagSet, when string) {
	flags.StringVar(&f.password, "password-file", "",
		when+"file with the server's password (default: "+passwordVariables()+" of the "+
			"environment)")
	flags.StringVar(&f.ca, "tls-ca", "",
		when+"PEM file of the CA that signed the server's certificate (default: those that the "+
			"client's machine trusts)")
	flags.StringVar(&f.certificate, "tls-cert", "", when+"PEM file of the client's certificate")
	flags.StringVar(&f.key, "tls-key", "", when+"PEM file of the key to --tls-cert")
	flags.StringVar(&f.serverName, "tls-server-name", "",
		when+"name in the server's certificate (default: the host of its address)")
	flags.BoolVar(&f.insecure, "tls-insecure", false,
		when+"accept any server certificate; the point says so")
}

// passwordVariables names the variables of all stores.
func passwordVariables() string {
	var names []string
	of := map[string]string{} // stores
	for _, st := range stores.All() {
		switch name := st.Endpoints.PasswordVariable; {
		case name == "":
		case of[name] == "":
			names = append(names, name)
			of[name] = st.Name
		default:
			of[name] += ", " + st.Name
		}
	}
	for i, name := range names {
		names[i] = name + " (" + of[name] + ")"
	}
	return strings.Join(names, " or ")
}

// read reads the files.
func (f *credentialFlags) read() (c kvs.Credentials, err error) {
	c.TLS.ServerName, c.TLS.Insecure = f.serverName, f.insecure
	for _, file := range []struct {
		flag, path string
		to         *kvs.Secret
	}{
		{"--password-file", f.password, &c.Password},
		{"--tls-ca", f.ca, &c.TLS.CA},
		{"--tls-cert", f.certificate, &c.TLS.Certificate},
		{"--tls-key", f.key, &c.TLS.Key},
	} {
		if file.path == "" {
			continue
		}
		text, err := infile.Read(file.path, maxCredentialBytes)
		if err != nil {
			return c, fmt.Errorf("%s: %w", file.flag, err)
		}
		*file.to = kvs.NewSecret(strings.TrimRight(string(text), "\r\n"))
		if file.to.Empty() {
			return c, fmt.Errorf("%s: found nothing in %s, allowed: a line or more", file.flag,
				file.path)
		}
	}
	return c, nil
}

// ownKeyFlags say what may happen to the keys of a server that runs already.
type ownKeyFlags struct{ ownkeys.Terms }

func (f *ownKeyFlags) add(flags *pflag.FlagSet, when string) {
	flags.BoolVar(&f.Yes, "yes", false, when+"proceed although the server already has keys")
	flags.BoolVar(&f.EvictOthers, "evict-others", false, when+"proceed although the server may "+
		"evict items of others, or be filled")
	flags.BoolVar(&f.Keep, "keep", false, when+"do not remove the load's keys afterwards")
}

// guarded reports whether the server may hold keys of others.
func (f *loadFlags) guarded() bool {
	st, err := stores.Named(f.store)
	return err == nil && ownkeys.Guards(&st)
}

// ownSets names the load's keys.
func (f *loadFlags) ownSets() []ownkeys.Set {
	own := f.cfg.Load
	own.Trace = cmp.Or(f.cfg.Converted, own.Trace)
	return []ownkeys.Set{ownkeys.SetOf(&own)}
}

// begin says what the load stores where. It refuses a server with keys without consent.
func (f *loadFlags) begin(cmd *cobra.Command, remote kvs.Remote) (found ownkeys.Found, err error) {
	guarded := f.guarded()
	if !guarded && !f.cfg.Replays() {
		return found, nil
	}
	var sets []ownkeys.Set // of dpukv's own server, whose keys need hashes: none
	if guarded {
		sets = f.ownSets()
	}
	found, err = ownkeys.Look(cmd.Context(), remote, sets, f.own.Terms, func(uint64) {})
	if err != nil {
		return found, fmt.Errorf("load: %w", err)
	}
	if f.cfg.Replays() && found.Keys > 0 && !f.own.Yes {
		return found, fmt.Errorf("load: --trace: found %s on %s, allowed: an empty server, or "+
			"--yes; GETs of the trace would find keys of an earlier load: start the server anew",
			numfmt.Count(found.Keys, "key"), f.cfg.ServerAddr)
	}
	if !guarded {
		return found, nil
	}
	if err := found.Consent("--server "+f.cfg.ServerAddr, sets, f.own.Terms); err != nil {
		return found, fmt.Errorf("load: %w", err)
	}
	f.cfg.Guard = &client.Guard{EvictOthers: f.own.EvictOthers, Overwrite: found.Own > 0}
	if !f.own.Keep {
		leaves(fmt.Sprintf("dpukv: the load's keys may stay on %s: %s; to remove them: %s",
			f.cfg.ServerAddr, ownkeys.Describe(sets), again("--yes")))
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "dpukv: stores %s on %s, %s; %s\n",
		ownkeys.Describe(sets), f.cfg.ServerAddr, found.Says(), found.Expects())
	return found, err
}

// foundBefore warns of a replay's point whose server had keys; "": it had none.
func (f *loadFlags) foundBefore(found ownkeys.Found) string {
	if !f.cfg.Replays() || found.Keys == 0 {
		return found.Warning()
	}
	return fmt.Sprintf("the server had %s before the replay: GETs may have found them, which "+
		"makes the hit rate too high", numfmt.Count(found.Keys, "key"))
}

// removeOwn removes the load's keys, also after an interruption.
func (f *loadFlags) removeOwn(cmd *cobra.Command, remote kvs.Remote, found *ownkeys.Found) error {
	if !f.guarded() || f.own.Keep {
		return nil
	}
	ctx, cancel := ownkeys.WithGrace(cmd.Context())
	defer cancel()
	sets := f.ownSets()
	removed, err := ownkeys.Remove(ctx, remote, sets, func(uint64) {})
	if removed.Keys > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "dpukv: removed %d own keys from %s\n", removed.Keys,
			f.cfg.ServerAddr)
	}
	if err != nil {
		return err
	}
	if fell := found.Fell(removed); fell != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "dpukv: %s\n", fell)
	}
	return nil
}
