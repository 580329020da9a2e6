// What the Go side hands over and gets back. The structures are laid out as
// verbs.SendWR, verbs.RecvWR and verbs.WC are; layout.go holds the compiler to it.

#include <infiniband/verbs.h>
#include <stdint.h>

struct shim_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

struct shim_send_wr {
	uint64_t id;
	struct shim_sge local;
	uint64_t remote;
	uint32_t rkey;
	uint32_t imm; // host byte order
	uint32_t ah;  // place in the table of address handles
	uint32_t qpn;
	uint32_t qkey;
	uint8_t op;
	uint8_t flags;
};

struct shim_recv_wr {
	uint64_t id;
	struct shim_sge local;
};

struct shim_wc {
	uint64_t id;
	uint32_t bytes;
	uint32_t imm; // host byte order
	uint32_t qpn;
	uint32_t src_qpn;
	uint8_t op;
	uint8_t status;
	uint8_t has_imm;
	uint8_t pad[5];
};

// verbs.SendOp
enum { SHIM_WRITE = 1, SHIM_WRITE_IMM, SHIM_SEND, SHIM_SEND_IMM, SHIM_READ, SHIM_OPS };
// verbs.SendFlags
enum { SHIM_SIGNALED = 1, SHIM_INLINE = 2, SHIM_SOLICITED = 4 };
// verbs.WCOp
enum { SHIM_WC_SEND = 1, SHIM_WC_WRITE, SHIM_WC_READ, SHIM_WC_RECV, SHIM_WC_RECV_WRITE_IMM };

// A protection domain's address handles. A chunk never moves once it is there, so
// that a sender may look one up while another goroutine adds one.
enum { SHIM_AH_CHUNK = 1024, SHIM_AH_CHUNKS = 1024 };
struct shim_ahs {
	struct ibv_ah **chunks[SHIM_AH_CHUNKS];
};

// Sets a place of the table. Answers 0 or an errno.
int shim_set_ah(struct shim_ahs *t, uint32_t handle, struct ibv_ah *ah);
void shim_free_ahs(struct shim_ahs *t);

struct shim_posted {
	int n;     // work requests taken
	int error; // errno of the first that was not, or 0
};

// Each posts a list of n in as few calls of the driver as its stack allows.
struct shim_posted shim_post_send(struct ibv_qp *qp, struct shim_ahs *ahs, struct shim_send_wr *wrs, int n);
struct shim_posted shim_post_recv(struct ibv_qp *qp, struct shim_recv_wr *wrs, int n);

// Polls up to n completions. Answers how many, or a negative number.
int shim_poll(struct ibv_cq *cq, struct shim_wc *wcs, int n);

// Macros and unions of libibverbs that cgo cannot reach.
struct ibv_mr *shim_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access);
int shim_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr);
struct ibv_qp *shim_create_qp(struct ibv_pd *pd, struct ibv_cq *send, struct ibv_cq *recv, int type,
			      uint32_t max_send, uint32_t max_recv, uint32_t max_inline);
void shim_ah_attr(struct ibv_ah_attr *a, uint8_t port, uint8_t gid_index, int global, uint16_t dlid, const uint8_t *dgid, uint32_t flow_label);

struct shim_event {
	int type;
	uint32_t qpn;  // 0 where the event is about no QP
	uint32_t port; // 0 where it is about no port
};

// Takes and acknowledges one asynchronous event. Answers 0, or an errno: EAGAIN where there is none.
int shim_next_event(struct ibv_context *ctx, struct shim_event *e);
