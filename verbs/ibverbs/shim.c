//go:build ibverbs && linux

#include "shim.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 128 }; // work requests or completions on the stack at once: 18 KiB

int shim_set_ah(struct shim_ahs *t, uint32_t handle, struct ibv_ah *ah)
{
	uint32_t chunk = handle / SHIM_AH_CHUNK;
	if (chunk >= SHIM_AH_CHUNKS)
		return ENOSPC;
	if (!t->chunks[chunk])
		t->chunks[chunk] = calloc(SHIM_AH_CHUNK, sizeof(struct ibv_ah *));
	if (!t->chunks[chunk])
		return ENOMEM;
	t->chunks[chunk][handle % SHIM_AH_CHUNK] = ah;
	return 0;
}

void shim_free_ahs(struct shim_ahs *t)
{
	for (int i = 0; i < SHIM_AH_CHUNKS; i++)
		free(t->chunks[i]);
	free(t);
}

static struct ibv_ah *get_ah(struct shim_ahs *t, uint32_t handle)
{
	uint32_t chunk = handle / SHIM_AH_CHUNK;
	if (chunk >= SHIM_AH_CHUNKS || !t->chunks[chunk])
		return NULL;
	return t->chunks[chunk][handle % SHIM_AH_CHUNK];
}

static void set_sge(struct ibv_sge *to, const struct shim_sge *from)
{
	to->addr = from->addr;
	to->length = from->length;
	to->lkey = from->lkey;
}

static unsigned int send_flags(uint8_t flags)
{
	return (flags & SHIM_SIGNALED ? IBV_SEND_SIGNALED : 0) | (flags & SHIM_INLINE ? IBV_SEND_INLINE : 0) |
	       (flags & SHIM_SOLICITED ? IBV_SEND_SOLICITED : 0);
}

// Fills one work request. Answers 0 or an errno.
static int build_send(struct ibv_send_wr *to, struct ibv_sge *sge, const struct shim_send_wr *from,
		      enum ibv_qp_type type, struct shim_ahs *ahs)
{
	static const enum ibv_wr_opcode opcodes[SHIM_OPS] = {
		[SHIM_WRITE] = IBV_WR_RDMA_WRITE, [SHIM_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[SHIM_SEND] = IBV_WR_SEND,	  [SHIM_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
		[SHIM_READ] = IBV_WR_RDMA_READ,
	};
	if (from->op < SHIM_WRITE || from->op >= SHIM_OPS)
		return EINVAL;
	set_sge(sge, &from->local);
	to->wr_id = from->id;
	to->next = NULL;
	to->sg_list = sge;
	to->num_sge = from->local.length > 0;
	to->opcode = opcodes[from->op];
	to->send_flags = send_flags(from->flags);
	to->imm_data = htonl(from->imm);
	if (type != IBV_QPT_UD) {
		to->wr.rdma.remote_addr = from->remote;
		to->wr.rdma.rkey = from->rkey;
		return 0;
	}
	to->wr.ud.ah = get_ah(ahs, from->ah);
	to->wr.ud.remote_qpn = from->qpn;
	to->wr.ud.remote_qkey = from->qkey;
	return to->wr.ud.ah ? 0 : EINVAL;
}

// Posts at most CHUNK work requests.
static struct shim_posted post_send_chunk(struct ibv_qp *qp, struct shim_ahs *ahs, struct shim_send_wr *wrs, int n)
{
	struct ibv_send_wr list[CHUNK], *bad = list;
	struct ibv_sge sges[CHUNK];
	struct shim_posted done = {n, 0};
	int built, error;

	for (built = 0; built < n; built++) {
		done.error = build_send(&list[built], &sges[built], &wrs[built], qp->qp_type, ahs);
		if (done.error)
			break; // those before it are posted all the same
		if (built > 0)
			list[built - 1].next = &list[built];
	}
	done.n = built;
	if (built == 0)
		return done;
	error = ibv_post_send(qp, list, &bad);
	if (error) {
		done.error = error;
		done.n = bad - list;
	}
	return done;
}

struct shim_posted shim_post_send(struct ibv_qp *qp, struct shim_ahs *ahs, struct shim_send_wr *wrs, int n)
{
	struct shim_posted all = {0, 0};
	while (all.n < n && !all.error) {
		int want = n - all.n < CHUNK ? n - all.n : CHUNK;
		struct shim_posted some = post_send_chunk(qp, ahs, wrs + all.n, want);
		all.n += some.n;
		all.error = some.error;
	}
	return all;
}

static struct shim_posted post_recv_chunk(struct ibv_qp *qp, struct shim_recv_wr *wrs, int n)
{
	struct ibv_recv_wr list[CHUNK], *bad = list;
	struct ibv_sge sges[CHUNK];
	struct shim_posted done = {n, 0};

	for (int i = 0; i < n; i++) {
		set_sge(&sges[i], &wrs[i].local);
		list[i].wr_id = wrs[i].id;
		list[i].next = i + 1 < n ? &list[i + 1] : NULL;
		list[i].sg_list = &sges[i];
		list[i].num_sge = wrs[i].local.length > 0;
	}
	done.error = ibv_post_recv(qp, list, &bad);
	if (done.error)
		done.n = bad - list;
	return done;
}

struct shim_posted shim_post_recv(struct ibv_qp *qp, struct shim_recv_wr *wrs, int n)
{
	struct shim_posted all = {0, 0};
	while (all.n < n && !all.error) {
		int want = n - all.n < CHUNK ? n - all.n : CHUNK;
		struct shim_posted some = post_recv_chunk(qp, wrs + all.n, want);
		all.n += some.n;
		all.error = some.error;
	}
	return all;
}

static uint8_t wc_op(enum ibv_wc_opcode op)
{
	switch (op) {
	case IBV_WC_SEND:
		return SHIM_WC_SEND;
	case IBV_WC_RDMA_WRITE:
		return SHIM_WC_WRITE;
	case IBV_WC_RDMA_READ:
		return SHIM_WC_READ;
	case IBV_WC_RECV:
		return SHIM_WC_RECV;
	case IBV_WC_RECV_RDMA_WITH_IMM:
		return SHIM_WC_RECV_WRITE_IMM;
	default:
		return 0;
	}
}

static void set_wc(struct shim_wc *to, const struct ibv_wc *from)
{
	memset(to, 0, sizeof *to);
	to->id = from->wr_id;
	to->qpn = from->qp_num;
	to->status = from->status;
	if (from->status != IBV_WC_SUCCESS)
		return; // the other fields are undefined then
	to->op = wc_op(from->opcode);
	if (!(from->opcode & IBV_WC_RECV))
		return;
	to->bytes = from->byte_len;
	to->src_qpn = from->src_qp;
	if (from->wc_flags & IBV_WC_WITH_IMM) {
		to->has_imm = 1;
		to->imm = ntohl(from->imm_data);
	}
}

int shim_poll(struct ibv_cq *cq, struct shim_wc *wcs, int n)
{
	struct ibv_wc list[CHUNK];
	int all = 0;
	while (all < n) {
		int want = n - all < CHUNK ? n - all : CHUNK;
		int got = ibv_poll_cq(cq, want, list);
		if (got < 0)
			return all > 0 ? all : got;
		for (int i = 0; i < got; i++)
			set_wc(&wcs[all + i], &list[i]);
		all += got;
		if (got < want)
			break;
	}
	return all;
}

struct ibv_mr *shim_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return ibv_reg_mr(pd, addr, length, access);
}

int shim_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr)
{
	return ibv_query_port(ctx, port, attr);
}

struct ibv_qp *shim_create_qp(struct ibv_pd *pd, struct ibv_cq *send, struct ibv_cq *recv, int type,
			      uint32_t max_send, uint32_t max_recv, uint32_t max_inline)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = send,
		.recv_cq = recv,
		.qp_type = type,
		.cap = {.max_send_wr = max_send, .max_recv_wr = max_recv,
			.max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = max_inline},
	};
	return ibv_create_qp(pd, &attr);
}

void shim_ah_attr(struct ibv_ah_attr *a, uint8_t port, uint8_t gid_index, int global, uint16_t dlid, const uint8_t *dgid, uint32_t flow_label)
{
	memset(a, 0, sizeof *a);
	a->port_num = port;
	a->dlid = dlid;
	a->is_global = global;
	if (!global)
		return;
	memcpy(a->grh.dgid.raw, dgid, 16);
	a->grh.sgid_index = gid_index;
	a->grh.hop_limit = 64;
	a->grh.flow_label = flow_label;
}

static int about_qp(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return 1;
	default:
		return 0;
	}
}

static int about_port(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_PKEY_CHANGE:
	case IBV_EVENT_SM_CHANGE:
	case IBV_EVENT_CLIENT_REREGISTER:
	case IBV_EVENT_GID_CHANGE:
		return 1;
	default:
		return 0;
	}
}

int shim_next_event(struct ibv_context *ctx, struct shim_event *e)
{
	struct ibv_async_event event;
	if (ibv_get_async_event(ctx, &event))
		return errno ? errno : EIO;
	e->type = event.event_type;
	// The QP cannot go away before its event is acknowledged.
	e->qpn = about_qp(event.event_type) ? event.element.qp->qp_num : 0;
	e->port = about_port(event.event_type) ? event.element.port_num : 0;
	ibv_ack_async_event(&event);
	return 0;
}
