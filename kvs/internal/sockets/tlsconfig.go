package sockets

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"

	"dpukv/kvs"
)

// config returns the settings of TLS for a server's address.
func config(addr string, o *kvs.TLSOptions) (*tls.Config, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	c := &tls.Config{
		ServerName:         cmp.Or(o.ServerName, host),
		InsecureSkipVerify: o.Insecure, MinVersion: tls.VersionTLS12,
		// A batch is in as few records as possible from the begin, as it stays later.
		DynamicRecordSizingDisabled: true,
	}
	if !o.CA.Empty() {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM([]byte(o.CA.Reveal())) {
			return nil, errors.New("--tls-ca: found no certificate in the file, allowed: PEM")
		}
	}
	if !o.Certificate.Empty() {
		pair, err := tls.X509KeyPair([]byte(o.Certificate.Reveal()), []byte(o.Key.Reveal()))
		if err != nil {
			return nil, fmt.Errorf("--tls-cert and --tls-key: found no pair, allowed: PEM of a "+
				"certificate and its key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// Secured describes a connection's TLS for the facts: its version and cipher suite, and whether the
// server's certificate was verified. It returns "" for a connection in the clear.
func (p *Peer) Secured(c net.Conn) string {
	secured, ok := c.(alerted)
	if !ok {
		return ""
	}
	s := secured.ConnectionState()
	verified := "verified"
	if p.TLS.InsecureSkipVerify {
		verified = "not verified"
	}
	return fmt.Sprintf("%s %s, certificate %s", tls.VersionName(s.Version),
		tls.CipherSuiteName(s.CipherSuite), verified)
}

// Explain adds to an error of TLS what to do.
func Explain(err error) error {
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		header  tls.RecordHeaderError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unknown):
		return fmt.Errorf("%w; name the file of its CA with --tls-ca", err)
	case errors.As(err, &name):
		return fmt.Errorf("%w; name the server as its certificate does with "+
			"--tls-server-name", err)
	case errors.As(err, &header):
		return fmt.Errorf("the server does not speak TLS at this port; leave out the last s of "+
			"the scheme (%w)", err)
	case strings.Contains(err.Error(), "certificate required"),
		strings.Contains(err.Error(), "handshake failure"):
		return fmt.Errorf("%w; give a certificate of the client with --tls-cert and "+
			"--tls-key", err)
	}
	return err
}
