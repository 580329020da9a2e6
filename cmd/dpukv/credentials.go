package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"dpukv/internal/infile"
	"dpukv/kvs"
	"dpukv/kvs/stores"
)

// credentialFlags are what lets a client into a server that runs already.
type credentialFlags struct {
	password             string // files
	ca, certificate, key string
	serverName           string
	insecure             bool
}

// maxCredentialBytes exceeds any password and any bundle of CAs.
const maxCredentialBytes = 4 << 20

func (f *credentialFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.password, "password-file", "",
		"file with the password of a server that runs already (default: "+passwordVariables()+
			" of the environment)")
	flags.StringVar(&f.ca, "tls-ca", "",
		"PEM file of the CA that signed the server's certificate (default: those that the "+
			"client's machine trusts)")
	flags.StringVar(&f.certificate, "tls-cert", "", "PEM file of the client's certificate")
	flags.StringVar(&f.key, "tls-key", "", "PEM file of the key to --tls-cert")
	flags.StringVar(&f.serverName, "tls-server-name", "",
		"name in the server's certificate (default: the host of its address)")
	flags.BoolVar(&f.insecure, "tls-insecure", false,
		"acceptance of any certificate of the server; the point says so")
}

// passwordVariables names the variables of all stores.
func passwordVariables() string {
	var names []string
	for _, st := range stores.All() {
		if name := st.Endpoints.PasswordVariable; name != "" {
			names = append(names, name+" ("+st.Name+")")
		}
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
