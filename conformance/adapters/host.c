/* The protocol of the suite for a reader written in C.
   SPDX-License-Identifier: 0BSD

   First line written: "adapter NAME versions=2,3 abis=2,3 tells=signal".
   Then for each line read, "FILE ADDRESS PC PC ..." (numbers in hexadecimal,
   "code=START-END,..." in front of the PCs, "/fp=FP" behind a PC), a line
   "refused REASON" or "accepted" and for each PC, behind a semicolon, "none",
   "error", "outermost" or the rule.  A request that takes ten seconds ends the
   process.  The section ends at a page that cannot be read, so most reads
   behind it end the process as well.  */

#include "reader.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The stream for answers.  Output of the reader itself is redirected to
   standard error, because it would be taken for an answer.  */
static FILE *out;

static void
print_value (const char *name, const struct value *value)
{
  static const char *const bases[]
      = { [VALUE_CFA] = "cfa", [VALUE_SP] = "sp", [VALUE_FP] = "fp" };
  if (value->base == VALUE_SAME)
    {
      fprintf (out, "%s=same", name);
      return;
    }
  fprintf (out, "%s=%s", name, value->load ? "[" : "");
  if (value->base == VALUE_REGISTER)
    fprintf (out, "r%u", value->reg);
  else
    fprintf (out, "%s", bases[value->base]);
  fprintf (out, "%+" PRId64 "%s", value->offset, value->load ? "]" : "");
}

static void
print_answer (int found, const struct answer *answer)
{
  if (found <= 0)
    {
      fprintf (out, found == 0 ? ";none" : ";error");
      return;
    }
  if (answer->outermost)
    {
      fprintf (out, ";outermost");
      return;
    }
  print_value (";cfa", &answer->cfa);
  print_value (" ra", &answer->ra);
  print_value (" fp", &answer->fp);
  if (answer->ra_signed)
    fprintf (out, answer->key_b ? " signed-b" : " signed-a");
  if (answer->signal)
    fprintf (out, " signal");
}

/* Bytes of a section, in front of a page that cannot be read.  */
struct room
{
  uint8_t *start;
  size_t size; /* of the mapping */
  uint8_t *bytes;
};

/* Read SIZE bytes of FD to a place aligned to 8, where a read behind them
   fails.  */
static bool
room_fill (struct room *room, int fd, size_t size)
{
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  size_t used = (size + page - 1) / page * page;
  room->size = used + 2 * page;
  room->start = mmap (NULL, room->size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room->start == MAP_FAILED)
    return false;
  uint8_t *end = room->start + page + used;
  room->bytes = end - (size + 7) / 8 * 8;
  return read (fd, room->bytes, size) == (ssize_t)size
         && mprotect (room->start, page, PROT_NONE) == 0
         && mprotect (end, page, PROT_NONE) == 0;
}

/* The value of the FP if a request has none: no address of a vector, and not
   0, which some readers take for the end of a stack.  */
#define SOME_FP UINT64_C (0x7ffc00000010)

/* The ranges of TEXT, "START-END,START-END".  */
static void
read_code (struct question *question, const char *text)
{
  char *end = NULL;
  while (question->n_code < CODE_RANGES_MAX)
    {
      struct code_range *range = &question->code[question->n_code];
      range->start = strtoull (text, &end, 16);
      if (*end != '-')
        return;
      range->end = strtoull (end + 1, &end, 16);
      question->n_code++;
      if (*end != ',')
        return;
      text = end + 1;
    }
}

/* The frame of TEXT, "PC" or "PC/fp=FP".  */
static struct frame
read_frame (const char *text)
{
  char *end = NULL;
  struct frame frame = { strtoull (text, &end, 16), SOME_FP };
  if (strncmp (end, "/fp=", 4) == 0)
    frame.fp = strtoull (end + 4, NULL, 16);
  return frame;
}

/* Ask for WORD, the first of the frames, and those behind it in *NEXT.  */
static void
ask_all (const struct question *question, const char *word, char **next)
{
  const char *reason = "refused";
  void *section = reader.open (question, &reason);
  if (section == NULL)
    {
      fprintf (out, "refused %s", reason);
      return;
    }
  fprintf (out, "accepted");
  for (; word != NULL; word = strtok_r (NULL, " \n", next))
    {
      struct answer answer = { 0 };
      struct frame frame = read_frame (word);
      int found = reader.find (section, &frame, &answer);
      print_answer (found, &answer);
    }
  reader.close (section);
}

static bool
answer_line (char *line)
{
  char *next;
  const char *path = strtok_r (line, " \n", &next);
  const char *address = strtok_r (NULL, " \n", &next);
  struct stat about;
  struct room room;
  if (path == NULL || address == NULL)
    return false;
  int fd = open (path, O_RDONLY);
  if (fd < 0 || fstat (fd, &about) != 0
      || !room_fill (&room, fd, (size_t)about.st_size))
    return false;
  close (fd);
  struct question question = { .address = strtoull (address, NULL, 16),
                               .bytes = room.bytes,
                               .size = (size_t)about.st_size };
  if (question.size > 4)
    {
      question.version = room.bytes[2];
      question.abi = room.bytes[4];
    }
  const char *word = strtok_r (NULL, " \n", &next);
  if (word != NULL && strncmp (word, "code=", 5) == 0)
    {
      read_code (&question, word + 5);
      word = strtok_r (NULL, " \n", &next);
    }
  ask_all (&question, word, &next);
  fprintf (out, "\n");
  munmap (room.start, room.size);
  return fflush (out) == 0;
}

int
main (int argc, char **argv)
{
  char *line = NULL;
  size_t size = 0;
  out = fdopen (dup (STDOUT_FILENO), "w");
  if (out == NULL || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0
      || !reader.begin (argc, argv))
    return 2;
  fprintf (out, "adapter %s versions=%s abis=%s tells=%s\n", reader.name,
           reader.versions, reader.abis, reader.tells);
  fflush (out);
  while (getline (&line, &size, stdin) > 0)
    {
      alarm (10);
      if (!answer_line (line))
        return 2;
      alarm (0);
    }
  free (line);
  return 0;
}
