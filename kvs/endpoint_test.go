package kvs

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestParseEndpoint(t *testing.T) {
	for text, want := range map[string]Endpoint{
		"10.0.0.2:6379":          {Network: "tcp", Addr: "10.0.0.2:6379"},
		"[::1]:6379":             {Network: "tcp", Addr: "[::1]:6379"},
		"redis://h:1":            {Scheme: "redis", Network: "tcp", Addr: "h:1"},
		"rediss://alice@h:1/3":   {Scheme: "rediss", Network: "tcp", Addr: "h:1", User: "alice", DB: 3},
		"unix:///run/redis.sock": {Scheme: "unix", Network: "unix", Addr: "/run/redis.sock"},
		"unix://bob@/run/redis.sock?db=1": {
			Scheme: "unix", Network: "unix", Addr: "/run/redis.sock",
			User: "bob", DB: 1,
		},
	} {
		e, err := ParseEndpoint(text)
		if err != nil || e != want || e.String() != text {
			t.Errorf("%s: got %+v, %q, %v", text, e, e.String(), err)
		}
	}
	for _, text := range []string{
		"", "h", "h:0", "h:65536", ":1", "redis://h", "redis://h:1/x", "redis://h:1/-1", "redis://h:1?db=1",
		"redis://h:1#x", "unix://h/path", "unix:///p?password=x", "unix://", "unix:///p?db=x", "://", "redis://%",
	} {
		if e, err := ParseEndpoint(text); err == nil {
			t.Errorf("%q: got %+v", text, e)
		}
	}
}

// TestPasswordInURL: an endpoint with a password is refused, and the error does not quote it.
func TestPasswordInURL(t *testing.T) {
	for _, text := range []string{
		"redis://:hush@h:1", "redis://u:hush@h:1/0", "unix://u:hush@/p", "redis://u:hush@h:x", "redis://u:%zzhush@h:1",
		"redis://h:1/hush", "unix:///p?password=hush", "u:hush@h:1", "redis://u:hush@",
	} {
		_, err := ParseEndpoint(text)
		if err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if _, err := ParseEndpoint("redis://:hush@h:1"); !strings.Contains(err.Error(), "--password-file") {
		t.Errorf("got %v", err)
	}
}

func TestEndpointCheck(t *testing.T) {
	one, other, none := EndpointRules{Scheme: "one", Databases: true}, EndpointRules{Scheme: "other"}, EndpointRules{}
	password := Credentials{Password: NewSecret("x")}
	for _, c := range []struct {
		text  string
		rules EndpointRules
		given Credentials
		want  string // in the error
	}{
		{"h:1", one, Credentials{}, ""},
		{"h:1", none, Credentials{}, ""},
		{"one://h:1/2", one, password, ""},
		{"unix:///p", other, password, ""},
		{"ones://h:1", one, Credentials{TLS: TLSOptions{Insecure: true}}, ""},
		{"ones://h:1", other, Credentials{}, "allowed with other: other, others, unix"},
		{"none://h:1", none, Credentials{}, "allowed: HOST:PORT alone"},
		{"h:1", none, password, "allowed: HOST:PORT alone"},
		{"other://h:1/2", other, Credentials{}, "has only one"},
		{"one://h:1", one, Credentials{TLS: TLSOptions{Insecure: true}}, "without TLS"},
		{"ones://h:1", one, Credentials{TLS: TLSOptions{Certificate: NewSecret("x")}}, "--tls-key"},
		{"ones://h:1", one, Credentials{TLS: TLSOptions{CA: NewSecret("x"), Insecure: true}}, "one of them"},
	} {
		_, err := c.rules.Parse(c.text, &c.given)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s with %s: got %v, want %q", c.text, c.rules.Scheme, err, c.want)
		}
	}
}

// TestSecret: no print shows a secret, and a message to a node does.
func TestSecret(t *testing.T) {
	d := DialConfig{Addr: "h:1"}
	d.Credentials = Credentials{Password: NewSecret("hush"), TLS: TLSOptions{Key: NewSecret("hush")}}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{d, &d, d.Credentials, d.Credentials.Password, &d.Credentials.Password} {
			text := fmt.Sprintf(format, value)
			if strings.Contains(text, "hush") || strings.Contains(text, "68757368") {
				t.Errorf("%s prints %s", format, text)
			}
		}
	}
	text, err := json.Marshal(d)
	var back DialConfig
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || back.Credentials != d.Credentials {
		t.Errorf("got %s, %v", text, err)
	}
	if text, err = json.Marshal(DialConfig{}); err != nil || strings.Contains(string(text), "credentials") {
		t.Errorf("without credentials: got %s, %v", text, err)
	}
}
