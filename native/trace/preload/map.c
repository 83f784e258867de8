/* Handle -> pointer: open addressing, removal by shifting back. */
#include <stdlib.h>

#include "objects.h"

static uint64_t mix(uint64_t key) {
  key *= 0x9E3779B97F4A7C15u; /* Fibonacci hashing */
  return key ^ (key >> 32);
}

static uint64_t slot_of(const hk_map* map, uint64_t key) {
  uint64_t slot = mix(key) & (map->capacity - 1);
  while (map->slots[slot].value && map->slots[slot].key != key)
    slot = (slot + 1) & (map->capacity - 1);
  return slot;
}

void* hk_map_get(const hk_map* map, uint64_t key) {
  return map->capacity ? map->slots[slot_of(map, key)].value : NULL;
}

static void grow_map(hk_map* map) {
  hk_map larger = {NULL, map->capacity ? 2 * map->capacity : 64, map->used};
  larger.slots = calloc(larger.capacity, sizeof *larger.slots);
  if (!larger.slots) abort();
  for (uint64_t i = 0; i < map->capacity; i++)
    if (map->slots[i].value) larger.slots[slot_of(&larger, map->slots[i].key)] = map->slots[i];
  free(map->slots);
  *map = larger;
}

void hk_map_set(hk_map* map, uint64_t key, void* value) {
  if (2 * map->used >= map->capacity) grow_map(map);
  uint64_t slot = slot_of(map, key);
  if (!map->slots[slot].value) map->used++;
  map->slots[slot].key = key;
  map->slots[slot].value = value;
}

void* hk_map_remove(hk_map* map, uint64_t key) {
  if (!map->capacity) return NULL;
  uint64_t hole = slot_of(map, key);
  void* value = map->slots[hole].value;
  if (!value) return NULL;
  map->used--;
  for (uint64_t next = (hole + 1) & (map->capacity - 1); map->slots[next].value;
       next = (next + 1) & (map->capacity - 1)) {
    uint64_t home = mix(map->slots[next].key) & (map->capacity - 1);
    if (((next - home) & (map->capacity - 1)) < ((next - hole) & (map->capacity - 1))) continue;
    map->slots[hole] = map->slots[next];
    hole = next;
  }
  map->slots[hole].value = NULL;
  return value;
}
