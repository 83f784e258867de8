/* MPI_Comm_spawn: the number of the new inter-communicator reaches the spawned world through the
 * environment that Open MPI's info key `env` gives it, without a message. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "post.h"
#include "real.h"

#define VARIABLE "HAKARU_TRACE_SPAWN"

#if defined(OPEN_MPI)
/* A copy of `info` that passes the number on; `info` itself where it has no room. */
static MPI_Info with_number(MPI_Info info, uint64_t id) {
  char value[MPI_MAX_INFO_VAL + 64] = {0};
  MPI_Info copy = info;
  int known = 0;
  if (info == MPI_INFO_NULL)
    PMPI_Info_create(&copy);
  else if (PMPI_Info_dup(info, &copy) != MPI_SUCCESS)
    return info;
  PMPI_Info_get(copy, "env", MPI_MAX_INFO_VAL - 1, value, &known);
  size_t used = known ? strlen(value) : 0;
  snprintf(value + used, sizeof value - used, "%s" VARIABLE "=%016" PRIx64, used ? "\n" : "", id);
  if (strlen(value) < MPI_MAX_INFO_VAL) PMPI_Info_set(copy, "env", value);
  return copy;
}
#else
static MPI_Info with_number(MPI_Info info, uint64_t id) {
  (void)id;
  return info;
}
#endif

/* Only the root's arguments mean something. */
static int is_root(MPI_Comm comm, int root) {
  int rank = -1;
  return PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

static uint64_t next_id(MPI_Comm comm) {
  if (hk.multiple) pthread_mutex_lock(&hk_lock);
  uint64_t id = hk_spawn_id(hk_communicator_of(comm));
  if (hk.multiple) pthread_mutex_unlock(&hk_lock);
  return id;
}

MPI_Info* hk_spawn_infos(int count, const MPI_Info* infos, int root, MPI_Comm comm) {
  if (!is_root(comm, root) || count < 1) return NULL;
  uint64_t id = next_id(comm);
  MPI_Info* copies = malloc((size_t)count * sizeof *copies);
  if (!copies) abort();
  for (int i = 0; i < count; i++) copies[i] = with_number(infos[i], id);
  return copies;
}

void hk_free_spawn_infos(int count, const MPI_Info* infos, MPI_Info* copies) {
  for (int i = 0; copies && i < count; i++)
    if (copies[i] != infos[i]) PMPI_Info_free(&copies[i]);
  free(copies);
}

void hk_post_spawn(hk_call* call, MPI_Comm parent, MPI_Comm made) {
  hk_communicator *from = hk_communicator_of(parent), *to = NULL;
  uint64_t id = hk_spawn_id(from);
  from->made++;
  if (made != MPI_COMM_NULL) to = hk_add_joined(made, from, id, 0);
  hk_open(call, HK_COLLECTIVE_WORDS + 1);
  hk_item_collective(call, from, 0, HAKARU_RAW_NO_ROOT, 0, 0, 0);
  if (to) hk_item(call, HAKARU_ITEM_COMMUNICATOR_MADE, 0, to->id, 0);
  hk_close(call);
}

uint64_t hk_spawned_by(void) {
  const char* text = getenv(VARIABLE);
  return text ? strtoull(text, NULL, 16) : 0;
}
