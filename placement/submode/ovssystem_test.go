package submode

func init() {
	detours[ovsSystem] = []detour{
		{"redirect beneath", nil, redirecting, []string{notTaken}},
		{"mirror beneath", nil, mirroring, []string{twice}},
		{"ports removed", removePorts, otherBridge, []string{notTaken}},
	}
}

func removePorts(l *Lease) []string {
	return ownSwitch(l.setup).Vsctl("del-port", bridgeName, "p0", "--", "del-port", bridgeName, "pf0hpf")
}
