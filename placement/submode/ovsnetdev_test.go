package submode

func init() {
	removePort := func(l *Lease) []string {
		return ownSwitch(l.setup).Vsctl("del-port", bridgeName, "p0")
	}
	detours[ovsNetdev] = []detour{
		// Its sockets also see the redirected packets.
		{"redirect beneath", nil, redirecting, []string{twice}},
		{"port removed", removePort, redirecting, []string{notTaken}},
	}
}
