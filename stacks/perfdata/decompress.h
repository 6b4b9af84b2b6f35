/* Records that perf record -z has compressed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PERFDATA_DECOMPRESS_H
#define STACKS_PERFDATA_DECOMPRESS_H

#include "stacks/perfdata/recording.h"

/* Append what RECORD has, of type PERF_COMPRESSED or PERF_COMPRESSED2, to
   data->plain.  Its records may end in the next RECORD that was compressed. */
bool perf_decompress (struct perf_data *data, const struct perf_record *record,
                      struct error *err);

/* Release what perf_decompress has made, but for data->plain.  */
void perf_decompress_end (struct perf_data *data);

#endif /* STACKS_PERFDATA_DECOMPRESS_H */
