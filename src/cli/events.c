/* Results of files in formats that other programs display.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/printable.h"
#include "cli/json_line.h"

enum
{
  TEXT_MAX = 4096 /* bytes of a name or a reason that are shown */
};

bool
events_wanted (enum tool_stats stats)
{
  return stats == STATS_JUNIT || stats == STATS_SARIF || stats == STATS_GITHUB;
}

/* A character that is special in a format, and the text in its place.  */
struct replacement
{
  char special; /* ends the table where it is 0 */
  const char *text;
};

/* Print TEXT with the replacements of TABLE.  */
static void
put_escaped (const char *text, const struct replacement *table, FILE *out)
{
  char shown[TEXT_MAX];
  printable_copy (shown, sizeof shown, text);
  for (const char *at = shown; *at != '\0'; at++)
    {
      const struct replacement *found = table;
      while (found->special != '\0' && found->special != *at)
        found++;
      if (found->special != '\0')
        fputs (found->text, out);
      else
        fputc (*at, out);
    }
}

static bool
has_failed (const struct event *event)
{
  return event->code != NULL && !event->skipped;
}

/* ---- JUnit */

static const struct replacement in_xml[] = { { '&', "&amp;" },
                                             { '<', "&lt;" },
                                             { '>', "&gt;" },
                                             { '"', "&quot;" },
                                             { '\0', NULL } };

static void
print_junit (const struct event *event, FILE *out)
{
  fputs ("  <testcase classname=\"cfi2sframe\" name=\"", out);
  put_escaped (event->path, in_xml, out);
  fprintf (out, "\" time=\"%.3f\"", event->seconds);
  if (event->code == NULL)
    {
      fputs ("/>\n", out);
      return;
    }
  fputs (event->skipped ? "><skipped " : "><failure ", out);
  if (!event->skipped)
    fprintf (out, "type=\"%s\" ", event->code);
  fputs ("message=\"", out);
  put_escaped (event->text, in_xml, out);
  fputs ("\"/></testcase>\n", out);
}

/* ---- GitHub */

static const struct replacement in_command[]
    = { { '%', "%25" }, { '\r', "%0D" }, { '\n', "%0A" }, { '\0', NULL } };
static const struct replacement in_property[]
    = { { '%', "%25" }, { '\r', "%0D" }, { '\n', "%0A" },
        { ':', "%3A" }, { ',', "%2C" },  { '\0', NULL } };

static void
print_github (const struct event *event, FILE *out)
{
  if (!has_failed (event))
    return;
  fputs ("::error file=", out);
  put_escaped (event->path, in_property, out);
  fprintf (out, ",title=cfi2sframe%%3A %s::", event->code);
  put_escaped (event->path, in_command, out);
  fputs (": ", out);
  put_escaped (event->text, in_command, out);
  fputc ('\n', out);
}

/* Write PATH to URI (RFC 3986), with all bytes but KEPT in hexadecimal.  */
static void
uri_of_path (const char *path, char uri[TEXT_MAX])
{
  static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "abcdefghijklmnopqrstuvwxyz0123456789/-._~+@";
  size_t n = 0;
  for (; *path != '\0' && n + 4 < TEXT_MAX; path++)
    if (strchr (kept, *path) != NULL)
      uri[n++] = *path;
    else
      n += (size_t)sprintf (uri + n, "%%%02X", (unsigned char)*path);
  uri[n] = '\0';
}

/* ---- SARIF (version 2.1.0, sections 3.27 to 3.32) */

static json_object *
sarif_location (const struct event *event)
{
  json_object *location = json_new_object (), *place = json_new_object ();
  json_object *file = json_new_object (), *address = json_new_object ();
  char uri[TEXT_MAX];
  uri_of_path (event->path, uri);
  json_add_string (file, "uri", uri);
  json_add (place, "artifactLocation", file);
  if (event->address != 0)
    {
      json_add_number (address, "absoluteAddress", event->address);
      json_add (place, "address", address);
    }
  else
    json_object_put (address);
  json_add (location, "physicalLocation", place);
  return location;
}

/* Print EVENT with a comma before it.  events_end drops the first comma.  */
static void
print_sarif (const struct event *event, FILE *out)
{
  if (!has_failed (event))
    return;
  json_object *result = json_new_object (), *message = json_new_object ();
  json_object *locations = json_new_array ();
  json_add_string (message, "text", event->text);
  json_append (locations, sarif_location (event));
  json_add_string (result, "ruleId", event->code);
  json_add_string (result, "level", "error");
  json_add (result, "message", message);
  json_add (result, "locations", locations);
  fputc (',', out);
  json_print_line (result, out);
}

void
event_print (enum tool_stats stats, const struct event *event, FILE *out)
{
  if (stats == STATS_JUNIT)
    print_junit (event, out);
  else if (stats == STATS_SARIF)
    print_sarif (event, out);
  else
    print_github (event, out);
}

bool
events_begin (struct events *events, enum tool_stats stats, FILE *out)
{
  *events = (struct events){ .stats = stats, .body = out };
  if (stats == STATS_JUNIT || stats == STATS_SARIF)
    events->body = open_memstream (&events->text, &events->size);
  return events->body != NULL;
}

bool
events_end (struct events *events, uint64_t passed, uint64_t skipped,
            uint64_t failed, double seconds, FILE *out)
{
  if (events->body == out)
    return true;
  if (!io_close_text (events->body, &events->text))
    {
      free (events->text);
      return false;
    }
  const char *text = events->text;
  if (events->stats == STATS_JUNIT)
    fprintf (out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
             " <testsuite name=\"cfi2sframe\" tests=\"%" PRIu64
             "\" failures=\"%" PRIu64 "\" errors=\"0\" skipped=\"%" PRIu64
             "\" time=\"%.3f\">\n%s </testsuite>\n</testsuites>\n",
             passed + skipped + failed, failed, skipped, seconds, text);
  else
    fprintf (out,
             "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
             "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":"
             "{\"name\":\"cfi2sframe\",\"version\":\"%s\"}},\"results\":[\n"
             "%s]}]}\n",
             PACKAGE_VERSION, text + (text[0] == ','));
  free (events->text);
  return true;
}
