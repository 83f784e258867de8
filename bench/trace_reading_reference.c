/* The ceiling of reading a trace: OTF2's own loop, with callbacks that only add up. Prints the
 * events and the seconds. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t locations[1 << 16], location_count, sum;

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static OTF2_CallbackCode on_location(void* data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef process) {
  (void)data, (void)name, (void)type, (void)process;
  if (events > 0 && location_count < sizeof locations / sizeof *locations)
    locations[location_count++] = self;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void* data, OTF2_AttributeList* attributes,
                                   OTF2_RegionRef region) {
  (void)location, (void)position, (void)data, (void)attributes;
  sum += time ^ region;
  return OTF2_CALLBACK_SUCCESS;
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const double begin = now_s();
  OTF2_Reader* reader = OTF2_Reader_Open(arguments[1]);
  if (!reader) return 2;
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* on_definition = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on_definition, on_location);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, on_definition, NULL);
  uint64_t read = 0, events = 0;
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  for (uint64_t i = 0; i < location_count; ++i) OTF2_Reader_SelectLocation(reader, locations[i]);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_EvtReaderCallbacks* on_event = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(on_event, on_region);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(on_event, on_region);
  for (uint64_t i = 0; i < location_count; ++i) {
    OTF2_EvtReader* location = OTF2_Reader_GetEvtReader(reader, locations[i]);
    OTF2_Reader_RegisterEvtCallbacks(reader, location, on_event, NULL);
    if (OTF2_Reader_ReadAllLocalEvents(reader, location, &read) != OTF2_SUCCESS) return 2;
    OTF2_Reader_CloseEvtReader(reader, location);
    events += read;
  }
  printf("{\"events\": %llu, \"seconds\": %.9f, \"sum\": %llu}\n", (unsigned long long)events,
         now_s() - begin, (unsigned long long)sum);
  return 0;
}
