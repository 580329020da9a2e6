package fullsize

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dpukv/placement/submode/step"
)

// host answers as a host whose interface has an MTU, and whose pings get an answer or not.
func host(name, mtu string, answers bool, asked *[]string) End {
	return End{step.Node{Name: name, Run: func(_ context.Context, argv []string) (string, error) {
		*asked = append(*asked, strings.Join(argv, " "))
		if argv[0] == "ping" && !answers {
			return "", errors.New("exit status 1: 3 packets transmitted, 0 received")
		}
		// Older versions print an empty object for each other interface.
		return `[{},{"ifname":"eth0","mtu":` + mtu + `}]`, nil
	}}, "192.0.2.1"}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		dpu, client, server string
		answers             bool
		want                string
	}{
		"the same": {"9000\n", "9000", "9000", true, ""},
		"the client's": {
			"9000\n", "1500", "9000", true,
			"found an MTU of 1500 on node a's eth0, and of 9000 on node d's p0",
		},
		"the server's": {"1500\n", "1500", "9000", true, "on node b: ip link set dev eth0 mtu 1500"},
		"a switch's": {
			"9000\n", "9000", "9000", false,
			"found no answer from 192.0.2.1 to packets of the full size (MTU 9000)",
		},
		"no number": {"", "1500", "1500", true, "which MTU has p0"},
	} {
		var asked []string
		dpu := step.Node{Name: "d", Run: func(context.Context, []string) (string, error) {
			return c.dpu, nil
		}}
		err := Check(t.Context(), dpu, "p0", host("a", c.client, c.answers, &asked),
			host("b", c.server, c.answers, &asked))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, want %q", name, err, c.want)
		}
		const ping = "ping -q -M do -c 3 -i 0.2 -W 2 -s 8972 192.0.2.1"
		if err == nil && asked[len(asked)-1] != ping {
			t.Errorf("%s: found %q, want %q", name, asked, ping)
		}
	}
}
