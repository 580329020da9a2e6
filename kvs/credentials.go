package kvs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Credentials let a client into a server that is not open to everybody. They stand in no file of a
// run, no log and no error. Only the messages to a node carry them, over its stdin.
type Credentials struct {
	Password Secret     `json:"password,omitzero"`
	TLS      TLSOptions `json:"tls,omitzero"`
}

// TLSOptions verify a server, and show a client's certificate to it. The files' contents stand
// here, since a client on another machine does not have the files.
type TLSOptions struct {
	CA          Secret `json:"ca,omitzero"` // PEM; none: the CAs that the client's machine trusts
	Certificate Secret `json:"certificate,omitzero"`
	Key         Secret `json:"key,omitzero"`
	// ServerName is the name in the server's certificate; "": the host of the address.
	ServerName string `json:"server_name,omitempty"`
	// Insecure accepts any certificate. The point says so.
	Insecure bool `json:"insecure,omitempty"`
}

// Given reports whether there is any option.
func (t *TLSOptions) Given() bool { return *t != TLSOptions{} }

// Given reports whether there are any credentials.
func (c *Credentials) Given() bool { return *c != Credentials{} }

// check refuses options that contradict each other.
func (c *Credentials) check() error {
	switch t := &c.TLS; {
	case t.Certificate.Empty() != t.Key.Empty():
		return errors.New("found a client's certificate or its key without the other, allowed: " +
			"--tls-cert together with --tls-key")
	case t.Insecure && !t.CA.Empty():
		return errors.New("found --tls-insecure with --tls-ca, allowed: one of them; only a " +
			"verified certificate needs a CA")
	}
	return nil
}

// Secret is a text that no print shows.
type Secret struct{ text string }

// redacted stands for a secret in a print.
const redacted = "(redacted)"

// NewSecret hides a text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the text, for the server.
func (s Secret) Reveal() string { return s.text }

// Empty reports whether there is no text.
func (s Secret) Empty() bool { return s.text == "" }

func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return redacted
}

// Format hides the text from every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalJSON reveals the text: a node needs it. No file of a run has a field of this type.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.text) }

// UnmarshalJSON reads the text from a message to a node.
func (s *Secret) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &s.text) }
