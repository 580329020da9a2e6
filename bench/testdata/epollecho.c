// A bare server over TCP on loopback: it answers each frame of the MICA protocol with a ready-made
// one. It neither checks nor stores.
// usage: epollecho WELCOME-FILE ANSWER-FILE CPU; it prints its port, and ends with its input.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADER = 16, REQUEST = 3, BUFFER = 256 << 10 };

struct conn {
	int fd;
	size_t used;
	char *in;
};

static char *welcome, *answer, out[1 << 20];
static size_t welcome_bytes, answer_bytes;

static void must(int ok, const char *what) {
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static char *file(const char *name, size_t *bytes) {
	char *b = malloc(1 << 20);
	int fd = open(name, O_RDONLY);
	ssize_t n = read(fd, b, 1 << 20);
	must(fd >= 0 && n > 0, name);
	close(fd);
	*bytes = n;
	return b;
}

// serve answers what has arrived. It returns 0 at the end of the connection.
static int serve(struct conn *c) {
	ssize_t n = recv(c->fd, c->in + c->used, BUFFER - c->used, 0);
	if (n <= 0)
		return 0;
	c->used += n;
	size_t at = 0, to = 0;
	uint32_t bytes;
	while (c->used - at >= HEADER) {
		memcpy(&bytes, c->in + at, 4);
		if (bytes < HEADER || bytes > BUFFER)
			return 0;
		if (c->used - at < bytes)
			break;
		int request = c->in[at + 5] == REQUEST;
		size_t size = request ? answer_bytes : welcome_bytes;
		if (to + size > sizeof out)
			return 0;
		memcpy(out + to, request ? answer : welcome, size);
		memcpy(out + to + 8, c->in + at + 8, 8);
		to += size;
		at += bytes;
	}
	memmove(c->in, c->in + at, c->used - at);
	c->used -= at;
	return to == 0 || send(c->fd, out, to, MSG_NOSIGNAL) == (ssize_t)to;
}

int main(int argc, char **argv) {
	must(argc == 4, "usage: epollecho WELCOME-FILE ANSWER-FILE CPU");
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[3]), &set);
	must(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
	int one = 1, l = socket(AF_INET, SOCK_STREAM, 0), e = epoll_create1(0);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	must(bind(l, (void *)&a, len) == 0 && listen(l, 1024) == 0, "listen");
	must(getsockname(l, (void *)&a, &len) == 0, "getsockname");
	struct epoll_event listening = {.events = EPOLLIN}, ended = {.events = EPOLLIN | EPOLLHUP};
	static struct conn input;
	ended.data.ptr = &input;
	must(epoll_ctl(e, EPOLL_CTL_ADD, l, &listening) == 0, "epoll_ctl");
	must(epoll_ctl(e, EPOLL_CTL_ADD, 0, &ended) == 0, "epoll_ctl of the input, a pipe");
	welcome = file(argv[1], &welcome_bytes);
	// The welcome has this port where the file has 12345.
	char port[6], *hole = memmem(welcome, welcome_bytes, "12345", 5);
	must(hole != NULL, "a place for the port");
	snprintf(port, sizeof port, "%5d", ntohs(a.sin_port));
	memcpy(hole, port, 5);
	answer = file(argv[2], &answer_bytes);
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	for (;;) {
		struct epoll_event ready[64];
		int n = epoll_wait(e, ready, 64, -1);
		for (int i = 0; i < n; i++) {
			struct conn *c = ready[i].data.ptr;
			if (c == &input)
				return 0;
			if (c != NULL) {
				if (!serve(c)) {
					close(c->fd);
					free(c->in);
					free(c);
				}
				continue;
			}
			c = calloc(1, sizeof *c);
			c->fd = accept(l, NULL, NULL);
			c->in = malloc(BUFFER);
			setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
			struct epoll_event ev = {.events = EPOLLIN, .data.ptr = c};
			must(epoll_ctl(e, EPOLL_CTL_ADD, c->fd, &ev) == 0, "epoll_ctl");
		}
	}
}
