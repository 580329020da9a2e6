package cardreport

import "testing"

func TestRedact(t *testing.T) {
	r := NewRedactor("card7")
	for text, want := range map[string]string{
		"link/ether b8:ce:f6:11:22:33 brd ff:ff:ff:ff:ff:ff": "link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff",
		"Base MAC: b8cef6112233":                             "Base MAC: 020000000001",
		"node_guid b8ce:f603:0011:2233":                      "node_guid 0200:0000:0000:0001",
		"Base GUID: b8cef60300112233":                        "Base GUID: 0200000000000001",
		"  [SN] Serial number: MT2143X12345":                 "  [SN] Serial number: SERIAL-1",
		`"serial_number": "MT2143X12345",`:                   `"serial_number": SERIAL-1,`,
		"ok\nREST_API_PASSWORD=x\nend":                       "ok\n[a line with a secret]\nend",
		"inet 192.168.100.2/30":                              "inet 192.168.100.2/30",
		"inet 130.92.1.2/24":                                 "inet 198.51.100.1/24",
		"inet6 fe80::bace:f6ff:fe11:2233/64":                 "inet6 fe80::1/64",
		"on card7:":                                          "on host-1:",
		"packets 1234567890123456":                           "packets 1234567890123456",
		"0000:03:00.0 at 12:30:45":                           "0000:03:00.0 at 12:30:45",
		"OvS 2.17.8, firmware 24.35.1012":                    "OvS 2.17.8, firmware 24.35.1012",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
