/* A device of mlx5 that has no hardware: the functions of libibverbs and libmlx5 that copies by a
 * DMA engine need, with the checks of a strict driver. Built by TestCopier. */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#undef ibv_query_port
#undef ibv_reg_mr

enum { MOST = 64 };

static struct {
	long mode, live, armed;
	int started, state, pending, done;
	struct job {
		uint32_t to_key, from_key, flags;
		void *to;
		const void *from;
		size_t length;
	} jobs[MOST];
	struct ibv_wc wcs[MOST];
	struct ibv_mr mrs[2];
	int regions;
	struct ibv_comp_channel channel;
	struct ibv_cq cq;
	struct ibv_pd pd;
	struct {
		struct ibv_qp_ex ex;
		struct mlx5dv_qp_ex mlx5;
	} qp;
	struct ibv_context context;
} d;

/* What goes wrong: the test sets one of these. */
enum { WELL, OTHER_DRIVER, NO_ENGINE, NO_QP, LOST, OTHER_OPERATION };

static int known(uint32_t key, const void *at, size_t length)
{
	for (int i = 0; i < d.regions; i++) {
		struct ibv_mr *mr = &d.mrs[i];
		if (mr->lkey == key)
			return (char *)at >= (char *)mr->addr && (char *)at + length <= (char *)mr->addr + mr->length;
	}
	return 0;
}

static void complete(void)
{
	for (int i = 0; i < d.pending; i++) {
		struct job *j = &d.jobs[i];
		struct ibv_wc *wc = &d.wcs[d.done++];
		memset(wc, 0, sizeof *wc);
		wc->opcode = d.mode == OTHER_OPERATION ? IBV_WC_SEND : IBV_WC_DRIVER3;
		if (!known(j->to_key, j->to, j->length) || !known(j->from_key, j->from, j->length))
			wc->status = IBV_WC_LOC_PROT_ERR;
		else
			memcpy(j->to, j->from, j->length);
	}
	d.pending = 0;
}

/* Polled, a copy is complete at the second look. With events, it is complete at the event. */
static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wcs)
{
	static int looks;
	if (!d.channel.context && d.mode != LOST && ++looks % 2 == 0)
		complete();
	n = n < d.done ? n : d.done;
	memcpy(wcs, d.wcs, n * sizeof *wcs);
	memmove(d.wcs, d.wcs + n, (d.done -= n) * sizeof *wcs);
	return n;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited)
{
	uint64_t one = 1;
	if (cq != &d.cq || !cq->channel || solicited)
		return EINVAL;
	if (d.pending && d.mode != LOST && write(d.channel.fd, &one, sizeof one) != sizeof one)
		return EIO;
	d.armed++;
	return 0;
}

static void wr_start(struct ibv_qp_ex *qp) { d.started = qp == &d.qp.ex; }

static void wr_memcpy(struct mlx5dv_qp_ex *qp, uint32_t to_key, uint64_t to, uint32_t from_key, uint64_t from, size_t length)
{
	if (!d.started || qp != &d.qp.mlx5 || d.pending == MOST)
		abort();
	d.jobs[d.pending++] = (struct job){to_key, from_key, d.qp.ex.wr_flags, (void *)to, (void *)from, length};
}

static int wr_complete(struct ibv_qp_ex *qp)
{
	if (!d.started || d.state != IBV_QPS_RTS || !(d.jobs[d.pending - 1].flags & IBV_SEND_SIGNALED))
		return EINVAL;
	d.started = 0;
	return 0;
}

struct ibv_context *fake_device(long mode)
{
	memset(&d, 0, sizeof d);
	d.mode = mode;
	d.context.ops.poll_cq = poll_cq;
	d.context.ops.req_notify_cq = req_notify_cq;
	return &d.context;
}

long fake_live(void) { return d.live; }
long fake_armed(void) { return d.armed; }

int mlx5dv_query_device(struct ibv_context *c, struct mlx5dv_context *attr)
{
	if (d.mode == OTHER_DRIVER)
		return EOPNOTSUPP;
	if (!(attr->comp_mask & MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH))
		return EINVAL;
	attr->max_wr_memcpy_length = d.mode == NO_ENGINE ? 0 : 1 << 21;
	return 0;
}

struct ibv_qp *mlx5dv_create_qp(struct ibv_context *c, struct ibv_qp_init_attr_ex *a, struct mlx5dv_qp_init_attr *m)
{
	if (d.mode == NO_QP || a->qp_type != IBV_QPT_RC || a->pd != &d.pd || a->send_cq != &d.cq || a->recv_cq != &d.cq ||
	    a->comp_mask != (IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) || !a->send_ops_flags ||
	    m->comp_mask != MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS || m->send_ops_flags != MLX5DV_QP_EX_WITH_MEMCPY ||
	    a->cap.max_send_wr < 1 || a->cap.max_send_wr > MOST) {
		errno = EINVAL;
		return NULL;
	}
	d.live++;
	d.qp.ex.qp_base.qp_num = 77;
	d.qp.ex.wr_start = wr_start;
	d.qp.ex.wr_complete = wr_complete;
	d.qp.mlx5.wr_memcpy = wr_memcpy;
	return &d.qp.ex.qp_base;
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp) { return (struct ibv_qp_ex *)qp; }
struct mlx5dv_qp_ex *mlx5dv_qp_ex_from_ibv_qp_ex(struct ibv_qp_ex *qp) { return &d.qp.mlx5; }

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (!(mask & IBV_QP_STATE) || (int)attr->qp_state != d.state + 1)
		return EINVAL;
	if (attr->qp_state == IBV_QPS_RTR && (attr->dest_qp_num != 77 || !(mask & IBV_QP_DEST_QPN)))
		return EINVAL;
	d.state = attr->qp_state;
	return 0;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *c)
{
	d.live++;
	d.channel.context = c;
	d.channel.fd = eventfd(0, EFD_CLOEXEC);
	return &d.channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel) { d.live--; return close(channel->fd); }

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	uint64_t n;
	if (read(channel->fd, &n, sizeof n) != sizeof n)
		return -1;
	complete();
	*cq = &d.cq;
	*context = NULL;
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int n) { if (cq != &d.cq || n != 1) abort(); }

struct ibv_cq *ibv_create_cq(struct ibv_context *c, int depth, void *context, struct ibv_comp_channel *channel, int vector)
{
	d.live++;
	d.cq.context = c;
	d.cq.channel = channel;
	return &d.cq;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *c) { d.live++; return &d.pd; }

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	struct ibv_mr *mr = &d.mrs[d.regions];
	if (access != IBV_ACCESS_LOCAL_WRITE || d.regions == 2) {
		errno = EINVAL;
		return NULL;
	}
	d.live++;
	*mr = (struct ibv_mr){.addr = addr, .length = length, .lkey = 100 + d.regions++};
	return mr;
}

int ibv_destroy_qp(struct ibv_qp *qp) { d.live--; return 0; }
int ibv_dereg_mr(struct ibv_mr *mr) { d.live--; return 0; }
int ibv_destroy_cq(struct ibv_cq *cq) { d.live--; return 0; }
int ibv_dealloc_pd(struct ibv_pd *pd) { d.live--; return 0; }

int ibv_query_port(struct ibv_context *c, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	struct ibv_port_attr *a = (struct ibv_port_attr *)attr;
	a->state = IBV_PORT_ACTIVE;
	a->active_mtu = IBV_MTU_4096;
	a->link_layer = IBV_LINK_LAYER_ETHERNET;
	return 0;
}

/* Others that the provider looks up, and copies do not call. */
#define UNUSED(name) void name##_stub(void) __asm__(#name); void name##_stub(void) { abort(); }
UNUSED(ibv_get_device_list)
UNUSED(ibv_free_device_list)
UNUSED(ibv_open_device)
UNUSED(ibv_close_device)
UNUSED(ibv_query_device)
UNUSED(ibv_port_state_str)
UNUSED(ibv_get_async_event)
UNUSED(ibv_ack_async_event)
UNUSED(ibv_create_qp)
UNUSED(ibv_create_ah)
UNUSED(ibv_destroy_ah)
