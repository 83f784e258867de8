/* Communicators, windows, files and probed messages: their local numbers, and the numbers that all
 * ranks agree on. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

#include "real.h"

#define MOST_OBJECTS ((1u << 20) - 1) /* an item has 20 bits for them */

/* ---------------------------------------------------------------- numbers that all members agree
 * on without a message */

static uint64_t hash_words(uint64_t hash, const void* data, size_t bytes) {
  const uint8_t* byte = data; /* FNV-1a */
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ byte[i]) * 1099511628211u;
  return hash;
}

#define HASH_START 14695981039346656037u

/* How many objects these members have made together so far: calls on one set of members come in the
 * same order everywhere. */
static uint64_t next_of_members(uint64_t members) {
  static hk_map counts;
  uint64_t made = (uint64_t)(uintptr_t)hk_map_get(&counts, members) + 1;
  hk_map_set(&counts, members, (void*)(uintptr_t)made);
  return made;
}

/* ---------------------------------------------------------------- communicators */

static hk_map communicators;
static hk_communicator nobody = {.key = UINT64_MAX};
hk_communicator* hk_last_communicator = &nobody;
static uint32_t next_communicator;
static MPI_Group world_group = MPI_GROUP_NULL;

hk_communicator* hk_find_communicator(uint64_t key, MPI_Comm comm) {
  hk_communicator* found = hk_map_get(&communicators, key);
  if (!found) found = hk_add_communicator(comm, NULL, 0); /* made by a call that is not covered */
  hk_last_communicator = found;
  return found;
}

/* World ranks of a group; sets *outside when a member is of another world. */
static int* world_ranks(MPI_Group group, int size, int* outside) {
  int* own = calloc(((size_t)size + 1) * 2, sizeof *own);
  if (!own) abort();
  for (int i = 0; i < size; i++) own[size + i] = i;
  PMPI_Group_translate_ranks(group, size, own + size, world_group, own);
  for (int i = 0; i < size; i++)
    if (own[i] == MPI_UNDEFINED) own[i] = HAKARU_RAW_NO_PEER, *outside = 1;
  return own;
}

static int is_range(const int* ranks, int size) {
  for (int i = 2; i < size; i++)
    if (ranks[i] - ranks[i - 1] != ranks[1] - ranks[0]) return 0;
  return 1;
}

/* Appends the neighbours of a process topology to *list: sources, then destinations. Returns
 * whether it is Cartesian. */
static int neighbours(MPI_Comm comm, hk_communicator* c, int32_t** list) {
  int topology = MPI_UNDEFINED, dimensions = 0, weighted, rank = c->rank;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    PMPI_Cartdim_get(comm, &dimensions);
    c->sources = c->destinations = 2 * dimensions;
  } else if (topology == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm, rank, &c->sources);
    c->destinations = c->sources;
  } else if (topology == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, &c->sources, &c->destinations, &weighted);
  }
  int count = c->sources + c->destinations;
  if (count == 0) return topology == MPI_CART;
  int* ranks = malloc((size_t)count * 3 * sizeof *ranks); /* the last third: weights */
  if (!ranks) abort();
  if (topology == MPI_CART)
    for (int d = 0; d < dimensions; d++)
      PMPI_Cart_shift(comm, d, 1, &ranks[2 * d], &ranks[2 * d + 1]);
  else if (topology == MPI_GRAPH)
    PMPI_Graph_neighbors(comm, rank, c->sources, ranks);
  else
    PMPI_Dist_graph_neighbors(comm, c->sources, ranks, ranks + count, c->destinations,
                              ranks + c->sources, ranks + count + c->sources);
  if (topology != MPI_DIST_GRAPH)
    memcpy(ranks + c->sources, ranks, (size_t)c->sources * sizeof *ranks);
  for (int i = 0; i < count; i++) ranks[i] = hk_peer(ranks[i]);
  *list = ranks;
  return topology == MPI_CART;
}

typedef struct {
  hakaru_raw_communicator fixed;
  int32_t *local, *remote, *around;
} definition;

static void write_definition(definition* d, const hk_communicator* c) {
  size_t locals = d->fixed.members == HAKARU_MEMBERS_LIST ? (size_t)c->size : 0;
  size_t remotes = d->fixed.remote_members == HAKARU_MEMBERS_LIST ? (size_t)c->remote_size : 0;
  size_t around = (size_t)(c->sources + c->destinations);
  int32_t* tail = malloc((locals + remotes + around + 1) * sizeof *tail);
  if (!tail) abort();
  if (locals) memcpy(tail, d->local, locals * sizeof *tail);
  if (remotes) memcpy(tail + locals, d->remote, remotes * sizeof *tail);
  if (around) memcpy(tail + locals + remotes, d->around, around * sizeof *tail);
  hk_meta(HAKARU_META_COMMUNICATOR, (const char*)&d->fixed + sizeof(hakaru_raw_meta_head),
          sizeof d->fixed - sizeof(hakaru_raw_meta_head), tail,
          (locals + remotes + around) * sizeof *tail);
  free(tail);
}

static uint64_t members_hash(const definition* d, const hk_communicator* c) {
  uint64_t local = hash_words(HASH_START, d->local, (size_t)c->size * sizeof(int));
  if (!c->inter) return local;
  return local + hash_words(HASH_START, d->remote,
                            (size_t)c->remote_size * sizeof(int)); /* the same from both sides */
}

/* Of the first member, in the parent: also ranks of another world know it. */
static int first_in_parent(MPI_Comm comm, const hk_communicator* parent) {
  MPI_Comm handle;
  MPI_Group own, all;
  int zero = 0, first = 0;
  memcpy(&handle, &parent->key, sizeof handle);
  if (parent->inter) return 0;
  PMPI_Comm_group(comm, &own);
  PMPI_Comm_group(handle, &all);
  PMPI_Group_translate_ranks(own, 1, &zero, all, &first);
  PMPI_Group_free(&own);
  PMPI_Group_free(&all);
  return first;
}

static uint64_t agree(const definition* d, const hk_communicator* c, MPI_Comm comm,
                      const hk_communicator* parent, uint32_t sequence) {
  uint64_t words[3];
  if (!parent) {
    words[0] = members_hash(d, c);
    words[1] = next_of_members(words[0]);
    words[2] = UINT64_MAX - hk.world_id;
  } else if (parent->joined) {
    words[0] = parent->global_id;
    words[1] = sequence;
    words[2] = (uint64_t)first_in_parent(comm, parent);
  } else {
    /* Communicators made by one call have different members: the first one's world rank tells them
     * apart. */
    int first = d->local[0];
    if (c->inter && d->remote[0] < first) first = d->remote[0];
    words[0] = parent->global_id;
    words[1] = sequence;
    words[2] = (uint64_t)first;
  }
  return hash_words(HASH_START, words, sizeof words);
}

static void describe_members(definition* d, hk_communicator* c, MPI_Comm comm, int* outside) {
  MPI_Group group;
  PMPI_Comm_group(comm, &group);
  d->local = world_ranks(group, c->size, outside);
  PMPI_Group_free(&group);
  int ranged = !*outside && is_range(d->local, c->size);
  int listable = !*outside && c->size + c->remote_size < HK_MOST_WORDS;
  d->fixed.members = ranged                     ? HAKARU_MEMBERS_RANGE
                     : c->rank == 0 && listable ? HAKARU_MEMBERS_LIST
                                                : HAKARU_MEMBERS_NONE;
  if (ranged)
    d->fixed.first = d->local[0], d->fixed.stride = c->size > 1 ? d->local[1] - d->local[0] : 1;
  if (!c->inter) return;
  PMPI_Comm_remote_group(comm, &group);
  d->remote = world_ranks(group, c->remote_size, outside);
  PMPI_Group_free(&group);
  if (c->rank == 0 && !*outside && listable) d->fixed.remote_members = HAKARU_MEMBERS_LIST;
}

/* Whether both worlds give it the same number: made from one that they share, not by splitting an
 * inter-communicator. */
static int is_joined(const hk_communicator* c, const hk_communicator* parent) {
  if (!parent || !parent->joined) return 0;
  if (c->inter) return parent->inter && c->size == parent->size;
  return !parent->inter || c->size == parent->size + parent->remote_size;
}

static uint32_t kind_of(const hk_communicator* c, int outside) {
  if (c->id <= 1) return c->id;
  if (outside && c->joined)
    return c->inter ? HAKARU_COMMUNICATOR_JOINED_INTER : HAKARU_COMMUNICATOR_JOINED_INTRA;
  if (outside) return HAKARU_COMMUNICATOR_OUTSIDE;
  return c->inter ? HAKARU_COMMUNICATOR_INTER : HAKARU_COMMUNICATOR_INTRA;
}

static hk_communicator* add_communicator(MPI_Comm comm, hk_communicator* parent, uint32_t sequence,
                                         uint64_t joined_id, int side) {
  hk_communicator* c = calloc(1, sizeof *c);
  definition d = {0};
  int outside = 0;
  if (!c) abort();
  c->key = HK_KEY(comm);
  c->id = next_communicator < MOST_OBJECTS ? next_communicator++ : MOST_OBJECTS;
  PMPI_Comm_rank(comm, &c->rank);
  PMPI_Comm_size(comm, &c->size);
  PMPI_Comm_test_inter(comm, &c->inter);
  if (c->inter) PMPI_Comm_remote_size(comm, &c->remote_size);
  describe_members(&d, c, comm, &outside);
  if (!c->inter && neighbours(comm, c, &d.around)) d.fixed.remote_members = HAKARU_RAW_GRID;
  const uint64_t world = hk.world_id ? ~hk.world_id : 0; /* not that of the inter-communicator */
  c->global_id = c->id == 0   ? world
                 : c->id == 1 ? world + 1 + (uint64_t)d.local[0]
                 : joined_id  ? joined_id
                              : agree(&d, c, comm, parent, sequence);
  c->joined = joined_id ? 1 : is_joined(c, parent);
  c->side = joined_id || !c->joined ? side : parent->side;
  d.fixed.id = c->id;
  d.fixed.kind = kind_of(c, outside);
  if (d.fixed.kind == HAKARU_COMMUNICATOR_JOINED_INTER) {
    d.fixed.members = d.fixed.remote_members = HAKARU_MEMBERS_NONE;
    d.fixed.first = c->side;
    d.fixed.stride = 0;
  }
  d.fixed.global_id = c->global_id;
  d.fixed.parent = parent ? parent->id + 1 : 0;
  d.fixed.own_rank = c->rank;
  d.fixed.size = c->size;
  d.fixed.remote_size = c->remote_size;
  d.fixed.sources = (uint32_t)c->sources;
  d.fixed.destinations = (uint32_t)c->destinations;
  write_definition(&d, c);
  free(d.local), free(d.remote), free(d.around);
  hk_map_set(&communicators, c->key, c);
  if (hk_last_communicator->key == c->key) hk_last_communicator = c;
  return c;
}

hk_communicator* hk_add_communicator(MPI_Comm comm, hk_communicator* parent, uint32_t sequence) {
  return add_communicator(comm, parent, sequence, 0, 0);
}

hk_communicator* hk_add_joined(MPI_Comm comm, hk_communicator* parent, uint64_t global_id,
                               int side) {
  return add_communicator(comm, parent, 0, global_id, side);
}

uint64_t hk_spawn_id(const hk_communicator* parent) {
  uint64_t words[3] = {parent->global_id, parent->made + 1, UINT64_MAX};
  return hash_words(HASH_START, words, sizeof words);
}

void hk_add_world(void) {
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  hk_add_communicator(MPI_COMM_WORLD, NULL, 0);
  hk_add_communicator(MPI_COMM_SELF, NULL, 0);
}

void hk_remove_communicator(hk_communicator* communicator) {
  if (hk_map_get(&communicators, communicator->key) == communicator)
    hk_map_remove(&communicators, communicator->key);
  if (hk_last_communicator == communicator) hk_last_communicator = &nobody;
  /* Its memory stays: windows, files and requests may still point to it. */
}

void hk_name_communicator(hk_communicator* communicator, const char* name) {
  uint32_t words[2] = {communicator->id, hk_string(name)};
  hk_meta(HAKARU_META_COMMUNICATOR_NAME, words, sizeof words, NULL, 0);
}

/* ---------------------------------------------------------------- windows, files, probed messages
 */

static hk_map windows, files, probed;
static uint32_t next_window = 1, next_file = 1;

static uint64_t made_from(hk_communicator* communicator) {
  uint64_t words[2] = {communicator->global_id, ++communicator->made};
  return hash_words(HASH_START, words, sizeof words);
}

static hk_object* add_object(hk_map* map, uint64_t key, uint32_t* next,
                             hk_communicator* communicator) {
  hk_object* object = calloc(1, sizeof *object);
  if (!object) abort();
  object->id = *next < MOST_OBJECTS ? (*next)++ : MOST_OBJECTS;
  object->communicator = communicator;
  hk_map_set(map, key, object);
  return object;
}

hk_object* hk_add_window(MPI_Win window, uint32_t kind, hk_communicator* communicator,
                         uint64_t bytes, uint32_t displacement_unit) {
  hk_object* object = add_object(&windows, HK_KEY(window), &next_window, communicator);
  hakaru_raw_window d = {{0, 0},           object->id,        kind, made_from(communicator),
                         communicator->id, displacement_unit, bytes};
  hk_meta(HAKARU_META_WINDOW, &d.id, sizeof d - sizeof d.meta, NULL, 0);
  return object;
}

/* Its members first use it at different moments and in different orders: the number must not depend
 * on them. */
uint32_t hk_remote_window(hk_communicator* communicator) {
  if (communicator->remote_window) return communicator->remote_window;
  uint64_t words[2] = {communicator->global_id, UINT64_MAX};
  communicator->remote_window = next_window < MOST_OBJECTS ? next_window++ : MOST_OBJECTS;
  hakaru_raw_window d = {{0, 0},
                         communicator->remote_window,
                         5,
                         hash_words(HASH_START, words, sizeof words),
                         communicator->id,
                         1,
                         0};
  hk_meta(HAKARU_META_WINDOW, &d.id, sizeof d - sizeof d.meta, NULL, 0);
  return communicator->remote_window;
}

static uint32_t file_mode(int mode) {
  uint32_t bits = 0;
  if (mode & (MPI_MODE_RDONLY | MPI_MODE_RDWR)) bits |= 1;
  if (mode & (MPI_MODE_WRONLY | MPI_MODE_RDWR)) bits |= 2;
  if (mode & MPI_MODE_CREATE) bits |= 4;
  if (mode & MPI_MODE_APPEND) bits |= 8;
  if (mode & MPI_MODE_EXCL) bits |= 16;
  if (mode & MPI_MODE_DELETE_ON_CLOSE) bits |= 32;
  return bits;
}

hk_object* hk_add_file(MPI_File file, hk_communicator* communicator, const char* name, int mode) {
  hk_object* object = add_object(&files, HK_KEY(file), &next_file, communicator);
  hakaru_raw_file_definition d = {{0, 0},          object->id,      communicator->id,
                                  hk_string(name), file_mode(mode), made_from(communicator)};
  hk_meta(HAKARU_META_FILE, &d.id, sizeof d - sizeof d.meta, NULL, 0);
  return object;
}

static hk_object unknown = {0, &nobody, NULL};

hk_object* hk_window_of(MPI_Win window) {
  hk_object* found = hk_map_get(&windows, HK_KEY(window));
  return found ? found : &unknown;
}

hk_object* hk_file_of(MPI_File file) {
  hk_object* found = hk_map_get(&files, HK_KEY(file));
  return found ? found : &unknown;
}

void hk_remove_window(MPI_Win window) { free(hk_map_remove(&windows, HK_KEY(window))); }
void hk_remove_file(MPI_File file) { free(hk_map_remove(&files, HK_KEY(file))); }

void hk_add_probed(MPI_Message message, uint32_t communicator, uint32_t flags) {
  uintptr_t packed = ((uintptr_t)communicator << 4 | flags) + 1;
  hk_map_set(&probed, HK_KEY(message), (void*)packed);
}

uint32_t hk_take_probed(MPI_Message message, uint32_t* flags) {
  uintptr_t packed = (uintptr_t)hk_map_remove(&probed, HK_KEY(message));
  if (!packed) return *flags = 0;
  *flags = (uint32_t)((packed - 1) & 15u);
  return (uint32_t)((packed - 1) >> 4);
}
