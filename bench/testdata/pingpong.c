// A bare ping-pong over TCP on loopback: a process that echoes, and one that counts.
// usage: pingpong BYTES SECONDS CLIENT-CPU SERVER-CPU; it prints the nanoseconds of a transaction.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void must(int ok, const char *what) {
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static void pin(int cpu) {
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	must(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int all(int fd, char *b, int n, int receive) {
	for (int at = 0; at < n;) {
		ssize_t some = receive ? recv(fd, b + at, n - at, 0) : send(fd, b + at, n - at, MSG_NOSIGNAL);
		if (some <= 0)
			return 0;
		at += some;
	}
	return 1;
}

int main(int argc, char **argv) {
	must(argc == 5, "usage: pingpong BYTES SECONDS CLIENT-CPU SERVER-CPU");
	int bytes = atoi(argv[1]), one = 1;
	double period = atof(argv[2]) * 1e9;
	char *b = calloc(1, bytes);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	int l = socket(AF_INET, SOCK_STREAM, 0);
	must(bind(l, (void *)&a, len) == 0 && listen(l, 1) == 0, "listen");
	must(getsockname(l, (void *)&a, &len) == 0, "getsockname");
	pid_t child = fork();
	must(child >= 0, "fork");
	if (child == 0) {
		pin(atoi(argv[4]));
		int fd = accept(l, NULL, NULL);
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		while (all(fd, b, bytes, 1) && all(fd, b, bytes, 0)) {
		}
		return 0;
	}
	pin(atoi(argv[3]));
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	must(connect(fd, (void *)&a, len) == 0, "connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	double begun = 0, end = now() + period / 5;
	long n = 0;
	for (int measured = 0; measured < 2; measured++) { // the first round warms up
		begun = now(), n = 0;
		for (end = begun + (measured ? period : period / 5); now() < end; n++)
			must(all(fd, b, bytes, 0) && all(fd, b, bytes, 1), "transaction");
	}
	printf("%.0f\n", (now() - begun) / n);
	close(fd);
	waitpid(child, NULL, 0);
	return 0;
}
