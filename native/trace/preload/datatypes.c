/* How derived datatypes lie in memory: an element's pieces that follow each other without gaps,
 * from the calls that made the type (MPI-4.0, 5.1.13). Called under the lock. */
#include <stdlib.h>
#include <string.h>

#include "tracer.h"

hk_type hk_types[HK_TYPES];
int hk_types_stale;
static int keyval = MPI_KEYVAL_INVALID;

typedef struct {
  int combiner, integers, addresses, types;
  int* integer;
  MPI_Aint* address;
  MPI_Datatype* type;
} contents;

static int64_t pieces_of(MPI_Datatype type);

/* Elements of it one after the other make one piece. */
static int dense(MPI_Datatype type) {
  MPI_Count size = 0, least = 0, extent = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent_x(type, &least, &extent);
  return size == extent && pieces_of(type) == 1;
}

/* Of `count` elements side by side. */
static int64_t side_by_side(int64_t count, MPI_Datatype type) {
  if (count <= 0) return 0;
  return dense(type) ? 1 : count * pieces_of(type);
}

/* Of `blocks` blocks of `length` elements, `apart` bytes from one to the next. */
static int64_t vector(int64_t blocks, int64_t length, int64_t apart, MPI_Datatype type) {
  MPI_Count least = 0, extent = 0;
  PMPI_Type_get_extent_x(type, &least, &extent);
  if (apart == length * extent) return side_by_side(blocks * length, type);
  return blocks * side_by_side(length, type);
}

static int64_t of_lengths(const int* lengths, int blocks, const MPI_Datatype* types, int same) {
  int64_t pieces = 0;
  for (int i = 0; i < blocks; i++) pieces += side_by_side(lengths[i], types[same ? 0 : i]);
  return pieces;
}

/* The axes that are taken whole, from the fastest on, lie in one piece with the next one. */
static int64_t subarray(const int* integer, MPI_Datatype type) {
  int axes = integer[0];
  const int *sizes = integer + 1, *parts = sizes + axes;
  int fortran = integer[1 + 3 * axes] == MPI_ORDER_FORTRAN;
  int64_t together = 1, pieces = 1;
  int whole = 1;
  for (int i = 0; i < axes; i++) {
    int axis = fortran ? i : axes - 1 - i;
    if (whole)
      together *= parts[axis];
    else
      pieces *= parts[axis];
    whole = whole && parts[axis] == sizes[axis];
  }
  return pieces * side_by_side(together, type);
}

static int64_t pieces_of_contents(const contents* c) {
  const int* n = c->integer;
  MPI_Count least = 0, extent = 0;
  switch (c->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return pieces_of(c->type[0]);
    case MPI_COMBINER_CONTIGUOUS:
      return side_by_side(n[0], c->type[0]);
    case MPI_COMBINER_VECTOR:
      PMPI_Type_get_extent_x(c->type[0], &least, &extent);
      return vector(n[0], n[1], n[2] * (int64_t)extent, c->type[0]);
    case MPI_COMBINER_HVECTOR:
      return vector(n[0], n[1], c->address[0], c->type[0]);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
      return of_lengths(n + 1, n[0], c->type, 1);
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
      return n[0] * side_by_side(n[1], c->type[0]);
    case MPI_COMBINER_STRUCT:
      return of_lengths(n + 1, n[0], c->type, 0);
    case MPI_COMBINER_SUBARRAY:
      return subarray(n, c->type[0]);
    default: /* darray: as if no two of its elements were neighbours */
      return -1;
  }
}

/* Named ones and those of MPI_Type_create_f90_real and the like are nobody's to free. */
static int is_derived(MPI_Datatype type) {
  int integers, addresses, types = 0, combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner != MPI_COMBINER_NAMED && types > 0;
}

static void free_contents(contents* c) {
  for (int i = 0; i < c->types; i++)
    if (is_derived(c->type[i])) PMPI_Type_free(&c->type[i]);
  free(c->integer), free(c->address), free(c->type);
}

static int64_t pieces_of(MPI_Datatype type) {
  contents c = {0};
  if (PMPI_Type_get_envelope(type, &c.integers, &c.addresses, &c.types, &c.combiner) != MPI_SUCCESS)
    return 1;
  if (c.types == 0 || c.combiner == MPI_COMBINER_NAMED) return 1;
  c.integer = calloc((size_t)c.integers + 1, sizeof *c.integer);
  c.address = calloc((size_t)c.addresses + 1, sizeof *c.address);
  c.type = calloc((size_t)c.types, sizeof *c.type);
  if (!c.integer || !c.address || !c.type) abort();
  PMPI_Type_get_contents(type, c.integers, c.addresses, c.types, c.integer, c.address, c.type);
  int64_t pieces = pieces_of_contents(&c);
  if (pieces < 0) {
    MPI_Count size = 0, of_element = 0;
    PMPI_Type_size_x(type, &size);
    PMPI_Type_size_x(c.type[0], &of_element);
    pieces = of_element > 0 ? size / of_element : 1;
  }
  free_contents(&c);
  return pieces > 0 ? pieces : 1;
}

static int on_delete(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  __atomic_store_n(&hk_types_stale, 1, __ATOMIC_RELAXED);
  return MPI_SUCCESS;
}

static hk_type measured(MPI_Datatype type) {
  hk_type found = {0};
  MPI_Count size = 0, least = 0, extent = 0;
  int64_t pieces = pieces_of(type);
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent_x(type, &least, &extent);
  if (size <= 0 || (pieces == 1 && size == extent)) return found;
  int64_t piece = size / pieces;
  found.piece = piece < 1 ? 1 : piece > INT32_MAX ? INT32_MAX : (uint32_t)piece;
  found.alone = pieces == 1;
  return found;
}

/* Derived types keep what was found as an attribute, whose end tells that the type is freed. */
const hk_type* hk_add_type(MPI_Datatype type, uint64_t key) {
  if (__atomic_exchange_n(&hk_types_stale, 0, __ATOMIC_RELAXED))
    memset(hk_types, 0, sizeof hk_types);
  hk_type* place = hk_place_of_type(key);
  hk_type found = {0};
  int known = 0;
  uintptr_t kept = 0;
  if (type != MPI_DATATYPE_NULL && is_derived(type)) {
    if (keyval == MPI_KEYVAL_INVALID)
      PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_delete, &keyval, NULL);
    PMPI_Type_get_attr(type, keyval, &kept, &known);
    if (known) {
      found.piece = (uint32_t)(kept >> 1);
      found.alone = (uint32_t)(kept & 1);
    } else {
      found = measured(type);
      PMPI_Type_set_attr(type, keyval, (void*)((uintptr_t)found.piece << 1 | found.alone));
    }
  }
  found.key = key;
  *place = found;
  return place;
}
