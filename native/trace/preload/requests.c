/* Requests by handle: buckets of chains; operations with one handle queue behind the oldest of
 * them. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

#define SLAB 1024

static hk_request** buckets;
static uint64_t bucket_count, live;
static hk_request* spare;
static uint32_t next_id;

uint32_t hk_next_request_id(void) {
  if (++next_id == 0) ++next_id; /* 0: no request */
  return next_id;
}

static uint64_t bucket_of(uint64_t key) {
  return (key * 0x9E3779B97F4A7C15u >> 32) & (bucket_count - 1);
}

static void grow_buckets(void) {
  uint64_t old_count = bucket_count;
  hk_request** old = buckets;
  bucket_count = old_count ? 2 * old_count : 256;
  buckets = calloc(bucket_count, sizeof *buckets);
  if (!buckets) abort();
  for (uint64_t i = 0; i < old_count; i++)
    for (hk_request *r = old[i], *next; r; r = next) {
      next = r->bucket_next;
      hk_request** head = &buckets[bucket_of(r->key)];
      r->bucket_next = *head;
      *head = r;
    }
  free(old);
}

static hk_request* take_spare(void) {
  if (!spare) {
    hk_request* slab = malloc(SLAB * sizeof *slab);
    if (!slab) abort();
    for (int i = 0; i < SLAB; i++) slab[i].same_next = i + 1 < SLAB ? &slab[i + 1] : NULL;
    spare = slab;
  }
  hk_request* taken = spare;
  spare = taken->same_next;
  memset(taken, 0, sizeof *taken);
  return taken;
}

hk_request* hk_find_request(uint64_t key) {
  if (!bucket_count) return NULL;
  hk_request* r = buckets[bucket_of(key)];
  while (r && r->key != key) r = r->bucket_next;
  return r;
}

hk_request* hk_add_request(uint64_t key, enum hk_request_kind kind, uint32_t object) {
  if (live >= bucket_count) grow_buckets();
  hk_request* r = take_spare();
  r->key = key;
  r->kind = (uint8_t)kind;
  r->object = object;
  r->id = hk_next_request_id();
  r->active = 1;
  r->same_tail = r;
  live++;
  hk_request* oldest = hk_find_request(key);
  if (oldest) {
    oldest->same_tail->same_next = r;
    oldest->same_tail = r;
  } else {
    hk_request** head = &buckets[bucket_of(key)];
    r->bucket_next = *head;
    *head = r;
  }
  return r;
}

void hk_remove_request(hk_request* request) {
  hk_request** at = &buckets[bucket_of(request->key)];
  while (*at != request) at = &(*at)->bucket_next;
  hk_request* heir = request->same_next;
  if (heir) {
    heir->same_tail = request->same_tail;
    heir->bucket_next = request->bucket_next;
    *at = heir;
  } else {
    *at = request->bucket_next;
  }
  free(request->counts);
  request->counts = NULL;
  request->same_next = spare;
  spare = request;
  live--;
}
