package cardreport

import (
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strings"
)

// Redactor replaces what identifies machines. Equal values get equal replacements, in all reports
// of one redactor.
type Redactor struct {
	hosts []string // names of machines
	seen  map[string]string
	count map[string]int
}

// NewRedactor returns a redactor that also replaces these host names.
func NewRedactor(hosts ...string) *Redactor {
	r := &Redactor{seen: map[string]string{}, count: map[string]int{}}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	for _, h := range hosts {
		if len(h) > 2 && h != "localhost" {
			r.hosts = append(r.hosts, h)
		}
	}
	return r
}

// Replaced says what a redactor replaces, for people.
const Replaced = "hardware addresses, GUIDs, serial numbers, host names, public IP " +
	"addresses; equal ones by equal ones. Lines that name a secret are left out. Private IP " +
	"addresses are as they were."

var (
	macs = regexp.MustCompile(`\b[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}\b`)
	// an EUI-64, as devlink and ibv_devinfo print GUIDs
	guids = regexp.MustCompile(`\b(?:0x)?[0-9a-fA-F]{16}\b|\b[0-9a-fA-F]{4}(?::[0-9a-fA-F]{4}){3}\b`)
	// a MAC without separators, as mlxfwmanager prints it, after its title
	bare    = regexp.MustCompile(`(?i)\b((?:base[ _])?mac[a-z_ ]*[:=]?\s+)([0-9a-f]{12})\b`)
	serials = regexp.MustCompile(`(?i)((?:serial[ _-]?number|\bsn:|system-id|hostname|` +
		`machine-id)["']?(?:\s*[:=]\s*|[ \t]+))["']?([^\s"',}:]+)["']?`)
	secrets = regexp.MustCompile(`(?im)^.*(?:password|passwd|secret|token|private[_ -]?key|credential)` +
		`\w*["']?\s*[:=].*$`)
	addrs4 = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b`)
	addrs6 = regexp.MustCompile(`\b[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?:\d{1,3}(?:\.\d{1,3}){3})?`)
)

// name returns the replacement of a value.
func (r *Redactor) name(kind, value, format string) string {
	key := kind + " " + strings.ToLower(value)
	if _, ok := r.seen[key]; !ok {
		r.count[kind]++
		r.seen[key] = fmt.Sprintf(format, r.count[kind])
	}
	return r.seen[key]
}

// Text returns a text with replacements.
func (r *Redactor) Text(text string) string {
	text = secrets.ReplaceAllLiteralString(text, "[a line with a secret]")
	text = serials.ReplaceAllStringFunc(text, func(s string) string {
		m := serials.FindStringSubmatch(s)
		return m[1] + r.name("serial", m[2], "SERIAL-%d")
	})
	text = addrs6.ReplaceAllStringFunc(text, r.address)
	text = macs.ReplaceAllStringFunc(text, r.mac)
	text = bare.ReplaceAllStringFunc(text, func(s string) string {
		m := bare.FindStringSubmatch(s)
		return m[1] + strings.ReplaceAll(r.mac(m[2]), ":", "")
	})
	text = guids.ReplaceAllStringFunc(text, r.guid)
	text = addrs4.ReplaceAllStringFunc(text, r.address)
	for _, h := range r.hosts {
		text = regexp.MustCompile(`\b`+regexp.QuoteMeta(h)+`\b`).ReplaceAllLiteralString(text,
			r.name("host", h, "host-%d"))
	}
	return text
}

func (r *Redactor) mac(s string) string {
	plain := strings.ToLower(strings.NewReplacer(":", "", "-", "").Replace(s))
	if strings.Trim(plain, "0") == "" || strings.Trim(plain, "f") == "" {
		return s
	}
	n := r.name("mac", plain, "%04x")
	return "02:00:00:00:" + n[:2] + ":" + n[2:]
}

func (r *Redactor) guid(s string) string {
	digits := strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(s, ":", ""), "0x"))
	if !strings.ContainsAny(digits, "abcdef") || strings.HasPrefix(digits, "0000") {
		return s // a number, or a mask
	}
	n := r.name("guid", digits, "%04x")
	if strings.Contains(s, ":") {
		return "0200:0000:0000:" + n
	}
	return strings.Repeat("0x", strings.Count(s, "0x")) + "020000000000" + n
}

// address replaces public addresses, and those of IPv6 that carry a hardware address.
func (r *Redactor) address(s string) string {
	a, err := netip.ParseAddr(s)
	switch {
	case err != nil || a.IsLoopback() || a.IsUnspecified() || a.IsMulticast():
		return s
	case a.Is4In6() && !a.Unmap().IsPrivate():
		return "::ffff:" + r.address(a.Unmap().String())
	case a.Unmap().IsPrivate() && a.Unmap().Is4():
		return s
	case a.Is4() && (a.IsLinkLocalUnicast() || strings.HasPrefix(s, "0.") ||
		strings.HasPrefix(s, "255.")):
		return s
	case a.Is4():
		return r.name("ip4", s, "198.51.100.%d")
	case a.IsLinkLocalUnicast():
		return r.name("link-local", a.String(), "fe80::%x")
	}
	return r.name("ip6", a.String(), "2001:db8::%x")
}

// Redact replaces within a report.
func (r *Redactor) Redact(report *Report) *Report {
	redacted := *report
	redacted.Node = r.Text(report.Node)
	redacted.Answers = make([]Answer, len(report.Answers))
	for i, a := range report.Answers {
		a.Stdout, a.Stderr, a.NotRun = r.Text(a.Stdout), r.Text(a.Stderr), r.Text(a.NotRun)
		redacted.Answers[i] = a
	}
	return &redacted
}
