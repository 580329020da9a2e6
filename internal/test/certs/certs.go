package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dpukv/internal/test/must"
)

// Files are the paths of a CA and what it has signed, as PEM.
type Files struct {
	CA                    string
	Cert, Key             string // the server's
	ClientCert, ClientKey string
}

// New makes a CA and its certificates. They end with the test.
func New(t testing.TB) Files {
	t.Helper()
	dir := t.TempDir()
	ca := issue(t, dir, "ca", nil)
	server, client := issue(t, dir, "server", &ca), issue(t, dir, "client", &ca)
	return Files{
		CA: ca.certFile, Cert: server.certFile, Key: server.keyFile,
		ClientCert: client.certFile, ClientKey: client.keyFile,
	}
}

// pair is a certificate and its key.
type pair struct {
	cert              *x509.Certificate
	key               *ecdsa.PrivateKey
	certFile, keyFile string
}

// issue makes a pair that a CA has signed; nil: the pair is a CA.
func issue(t testing.TB, dir, name string, ca *pair) pair {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	p := pair{
		cert: template(name, ca == nil), key: key,
		certFile: filepath.Join(dir, name+".crt"), keyFile: filepath.Join(dir, name+".key"),
	}
	if ca == nil {
		ca = &p
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, p.cert, ca.cert, &key.PublicKey, ca.key))(t)
	private := must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	write(t, p.certFile, "CERTIFICATE", der)
	write(t, p.keyFile, "PRIVATE KEY", private)
	return p
}

func template(name string, isCA bool) *x509.Certificate {
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:    []string{name + ".test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if isCA {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
	}
	return c
}

func write(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	must.Do(t, os.WriteFile(path, text, 0o600))
}
