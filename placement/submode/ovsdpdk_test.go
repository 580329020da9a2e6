package submode

func init() {
	detours[ovsDPDK] = []detour{{"redirect beneath", nil, redirecting, []string{twice}}}
	detours[ovsDPDKXDP] = []detour{{"program removed", xdpOff, redirecting, []string{notTaken}}}
}
