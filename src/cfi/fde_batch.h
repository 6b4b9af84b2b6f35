/* Reading FDEs: plain ones directly, all others and every CIE through
   libdwarf, some hundred at a time.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The first FDE of each CIE is libdwarf's, and with it the CIE; from the
   second one on plain FDEs (plain_fde.h) are read at once.  libdwarf gives up
   on a whole section for one bad entry, stops at a zero terminator, and
   becomes slow with thousands of CIEs.  libdwarf is therefore shown batches:
   copies of FDEs and of the CIEs they use.  A batch that libdwarf refuses is
   halved until the damaged entry is alone.  */

#ifndef CFI_FDE_BATCH_H
#define CFI_FDE_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "cfi/entry.h"

struct fde_batch; /* opaque */

/* An empty batch for FDEs of the last input of SECTION, which must outlive it
   and will have at most N_CIES CIEs more.  NULL when memory ran out.  */
struct fde_batch *fde_batch_new (struct cfi_section *section, size_t n_cies);
void fde_batch_free (struct fde_batch *batch);

/* Add the FDE in ENTRY, whose CIE has the index CIE and was scanned.  A full
   batch is read first, and so is a batch that has the first FDE of this CIE:
   from then on the CIE is known.  False when memory ran out.  */
bool fde_batch_add (struct fde_batch *batch, const struct entry *entry,
                    size_t cie, struct error *err);

/* Read what was added: it becomes FDEs, or damages, of the section in the
   order of their offsets.  The batch is empty then.  */
bool fde_batch_read (struct fde_batch *batch, struct error *err);

#endif /* CFI_FDE_BATCH_H */
