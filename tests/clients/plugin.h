/* What calls.c knows of plugin.c.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLIENTS_PLUGIN_H
#define CLIENTS_PLUGIN_H

#ifndef PLUGIN_CALL
#  define PLUGIN_CALL plugin_call
#endif

typedef void plugin_callback (void);

/* Call CALLBACK below DEPTH frames.  */
int PLUGIN_CALL (plugin_callback *callback, int depth);

#endif /* CLIENTS_PLUGIN_H */
