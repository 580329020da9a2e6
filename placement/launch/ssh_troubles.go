package launch

// sshTroubles are in the words of OpenSSH 7.6 to 10. The first match counts, so the more specific
// ones come first. A command on the node may print similar messages. So each expression contains
// something that only ssh writes.
var sshTroubles = []trouble{
	{
		says(`REMOTE HOST IDENTIFICATION HAS CHANGED(?s:.*Offending \S+ key in ((\S+):\d+).*Host key for (\S+) has changed)`),
		"the host key of $3 is not the one that is known ($1): somebody may sit in between, " +
			"or it was installed anew; ask whoever runs it, then: ssh-keygen -f '$2' -R '$3', " +
			"and {ssh}",
	},
	{
		says(`REMOTE HOST IDENTIFICATION HAS CHANGED`),
		"the host key of {host} is not the one that is known in {known_hosts}: somebody may sit " +
			"in between, or it was installed anew; ask whoever runs it, then remove the line " +
			"that this command names, and run it again: {ssh}",
	},
	{
		says(`^No \S+ host key is known for (\S+) and you have requested strict checking`),
		"the host key of $1 is not known in {known_hosts}: connect once by hand and compare it: " +
			"{ssh}",
	},
	{
		says(`^Host key verification failed`),
		"a host key on the way to {host} is not known or not the known one: connect once by hand " +
			"and compare it: {ssh}",
	},
	{
		says(`^sudo: (?:a password is required|a terminal is required to read the password|sorry, you must have a tty to run sudo)`),
		"sudo wants a password on {host}, and nobody is asked for one: allow it there without " +
			"one (for a card, dpukv testbed sudoers FILE prints the commands to allow), or " +
			"log in as root (user: root) without sudo: true",
	},
	{
		says(`(?:^|: )sudo: (?:command )?not found|^(?:exec: )?sudo: No such file|^\S+ is not in the sudoers file|^Sorry, user \S+ (?:may not run sudo|is not allowed to execute)`),
		"sudo is not there, or not for this user, on {host}: install it and allow it there, or " +
			"log in as root (user: root) without sudo: true",
	},
	{
		says(`(?:Your password has expired|required to change your password|Password change required)`),
		"{host} wants a new password at the first log-in, and nobody is asked for one: log in " +
			"once by hand and set it: {ssh}",
	},
	{
		says(`^(\S+): Permission denied \((?:\S*,)?(?:password|keyboard-interactive)(?:,\S*)?\)`),
		"$1 wants a password, as none of your keys is allowed there, and nobody is asked for " +
			"one: store your key there (ssh-copy-id), or load it (ssh-add), or name it with " +
			"identity",
	},
	{
		says(`^(\S+): Permission denied \((\S+)\)`),
		"$1 takes none of your keys ($2): load the right one (ssh-add), or name it with " +
			"identity, and try: {ssh}",
	},
	{
		says(`^Received disconnect from (.+): Too many authentication failures`),
		"{host} gave up after too many of your keys: name the right one with identity, and " +
			"IdentitiesOnly yes in ~/.ssh/config",
	},
	{
		says(`^ssh: Could not resolve hostname (.+?): (.+)`),
		"there is no host $1 ($2): say its address as host, or what it is in ~/.ssh/config",
	},
	{
		says(`^ssh: connect to host (\S+) port (\d+): Connection refused`),
		"$1 has no ssh server at port $2: start it there, or say its port",
	},
	{
		says(`^ssh: connect to host (\S+) port (\d+): (.+)`),
		"$1 is not reached by ssh at port $2 ($3): is it up, and is there a way from here, or " +
			"does it need a jump host?",
	},
	{
		says(`^(?:Connection timed out during banner exchange|Connection to \S+ (?:port \d+ )?timed out)`),
		"{host} answers nothing: is it up, and is what listens there an ssh server?",
	},
	{
		says(`(?:^channel \d+: open failed|^stdio forwarding failed)(.*)`),
		"the jump host does not get through to {host}$1: is {host} up, and does the jump host's " +
			"sshd allow forwarding (AllowTcpForwarding)?",
	},
	{
		says(`^Timeout, server (\S+) not responding`),
		"the connection to $1 is lost: nothing came for 6 s; the machine, its network or the way " +
			"to it is down",
	},
	{
		says(`^(?:kex_exchange_identification|ssh_exchange_identification|banner exchange): (.+)`),
		"{host} ended the connection before anybody logged in ($1): is it an ssh server that " +
			"takes more connections (MaxStartups)?",
	},
	{
		says(`^(?:Connection to (\S+) closed by remote host|Connection (?:closed|reset) by \S+|client_loop: send disconnect: .+|Read from remote host .+: .+|packet_write_wait: .+)`),
		"{host} closed the connection: its sshd or the machine went down, or ended it",
	},
	{
		says(`^Unable to negotiate with \S+(?: port \d+)?: (.+)`),
		"{host} and the ssh client here have no algorithm in common ($1)",
	},
	{
		says(`^(?:command-line|.+): line \d+: (.+)$(?s:.*)terminating, \d+ bad configuration options`),
		"the ssh configuration has a mistake ($1); try: {ssh}",
	},
	{
		says(`^Can't open user config file (.+): (.+)`),
		"there is no ssh configuration $1 ($2): say another file as ssh_config",
	},
	{
		says(`^(Bad owner or permissions on .+)`),
		"ssh does not trust its configuration ($1): chmod 600 it",
	},
}
