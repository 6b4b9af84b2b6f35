/* Files whose checksum is kept in another file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "elf/checksum.h"
#include "tests/unit/elf_builder.h"
#include "tests/unit_test.h"

#define SONAME "libs.so.1"
#define NT_FDO_INTEGRITY UINT32_C (0xcafe2a8e)

enum
{
  STRINGS = 0x2b8, /* of the builder's program: offset of .dynstr, */
  DYNAMIC = 0x2000,
  NOTE = 0x220 /* of its only note */
};

static void
add_soname (struct elf_builder *elf)
{
  memcpy (elf->bytes + STRINGS + 11, SONAME, sizeof SONAME);
  store_u64 (elf->bytes + DYNAMIC + 80, DT_SONAME, false);
  store_u64 (elf->bytes + DYNAMIC + 88, 11, false);
}

static void
run (const char *format, const char *argument)
{
  char command[2 * PATH_MAX];
  assert_true (snprintf (command, sizeof command, format, argument)
               < (int)sizeof command);
  assert_int_equal (system (command), 0);
}

/* Make the folder that the file PATH is in.  */
static void
make_folder (const char *path)
{
  char folder[PATH_MAX];
  snprintf (folder, sizeof folder, "%s", path);
  *strrchr (folder, '/') = '\0';
  run ("mkdir -p '%s'", folder);
}

static void
write_file (const char *path, const void *bytes, size_t size)
{
  make_folder (path);
  FILE *out = fopen (path, "wb");
  assert_non_null (out);
  assert_int_equal (fwrite (bytes, 1, size, out), size);
  assert_int_equal (fclose (out), 0);
}

/* A file tree in `top', an absolute path; the library is in top/lib/x.  */
struct tree
{
  char top[PATH_MAX + 32];
  char path[PATH_MAX + NAME_MAX + 64]; /* of the library */
};

static void
make_tree (struct tree *tree)
{
  char here[PATH_MAX];
  assert_non_null (getcwd (here, sizeof here));
  snprintf (tree->top, sizeof tree->top, "%s/checksum-XXXXXX", here);
  assert_non_null (mkdtemp (tree->top));
}

static void
remove_tree (const struct tree *tree)
{
  run ("rm -rf '%s'", tree->top);
}

#define TREE_TEST(name) \
  TEST_WITH (struct tree, tree, make_tree, remove_tree, name)

/* The path of NAME, seen from the library's folder.  */
static const char *
beside (const struct tree *tree, const char *name)
{
  static char path[PATH_MAX + NAME_MAX + 64];
  snprintf (path, sizeof path, "%s/lib/x/%s", tree->top, name);
  return path;
}

static void
add_library (struct tree *tree, const char *name, bool with_soname)
{
  static struct elf_builder elf;
  elf_builder_program (&elf, EM_X86_64, false);
  if (with_soname)
    add_soname (&elf);
  elf_builder_finish (&elf);
  snprintf (tree->path, sizeof tree->path, "%s", beside (tree, name));
  write_file (tree->path, elf.bytes, elf.size);
}

/* What directories have in front of what is in them: a number of other names,
   then these, as the linker sends calls here.  */
static struct
{
  size_t others;
  const char *const *names; /* NULL: none; NULL also ends them */
  int fail;                 /* none can be read, with this errno; or 0 */
} directories;

DIR *__real_fdopendir (int fd);
DIR *__wrap_fdopendir (int fd);
struct dirent *__real_readdir (DIR *directory);
struct dirent *__wrap_readdir (DIR *directory);
struct dirent *__real_readdir64 (DIR *directory);
struct dirent *__wrap_readdir64 (DIR *directory);

DIR *
__wrap_fdopendir (int fd)
{
  errno = directories.fail;
  return directories.fail ? NULL : __real_fdopendir (fd);
}

static struct dirent *
next_of_ours (void)
{
  static struct dirent entry;
  const char *name = NULL;
  if (directories.others > 0)
    {
      directories.others--;
      name = "x";
    }
  else if (directories.names != NULL && *directories.names != NULL)
    name = *directories.names++;
  if (name == NULL)
    return NULL;
  snprintf (entry.d_name, sizeof entry.d_name, "%s", name);
  return &entry;
}

struct dirent *
__wrap_readdir (DIR *directory)
{
  struct dirent *ours = next_of_ours ();
  return ours != NULL ? ours : __real_readdir (directory);
}

struct dirent *
__wrap_readdir64 (DIR *directory)
{
  struct dirent *ours = next_of_ours ();
  return ours != NULL ? ours : __real_readdir64 (directory);
}

/* LOCATION's file has the checksum that FOUND names, or, NULL, none.  */
static void
expect_at (const struct file_location *location, const char *found)
{
  struct image image;
  struct error err = { 0 };
  assert_true (image_open_at (&image, location, &err));
  bool none = checksum_check_none (&image, location, &err);
  image_close (&image);
  if (found == NULL && !none)
    fail_msg ("%s: %s", location->path, err.reason);
  assert_int_equal (none, found == NULL);
  if (found == NULL)
    return;
  char wanted[NAME_MAX + 128];
  snprintf (wanted, sizeof wanted, "%s has a checksum of it", found);
  assert_int_equal (err.status, CFI2SFRAME_CHECKSUMMED);
  err.reason[strlen (wanted)] = '\0';
  assert_string_equal (err.reason, wanted);
}

/* Collect the names in the library's folder that may be of checksums, as who
   walks over a tree does.  */
static void
collect_names (const struct tree *tree, char *names, size_t room)
{
  char folder[sizeof tree->path];
  snprintf (folder, sizeof folder, "%s", tree->path);
  *strrchr (folder, '/') = '\0';
  DIR *directory = opendir (folder);
  const struct dirent *entry;
  assert_non_null (directory);
  while ((entry = readdir (directory)) != NULL)
    if (checksum_may_be (entry->d_name))
      {
        size_t size = strlen (entry->d_name) + 1;
        assert_true (size < room);
        memcpy (names, entry->d_name, size);
        names += size;
        room -= size;
      }
  *names = '\0';
  closedir (directory);
}

static bool
has_folders (const struct tree *tree)
{
  int directory = open (beside (tree, "."), O_PATH | O_DIRECTORY);
  bool has = checksum_has_folders (directory);
  assert_int_equal (close (directory), 0);
  return has;
}

/* The same for TREE's library, whether names and folders are known or not.  */
static void
expect (const struct tree *tree, const char *found)
{
  char names[4096];
  struct file_location location = file_location_of_path (tree->path);
  expect_at (&location, found);
  collect_names (tree, names, sizeof names);
  location.checksums = names;
  expect_at (&location, found);
  location.no_checksum_folders = !has_folders (tree);
  expect_at (&location, found);
}

/* Names.  */

struct name_case
{
  const char *library;
  const char *beside; /* an empty file, seen from the library's folder */
  bool counts;
};

static void
expect_names (const struct name_case *cases, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      struct tree tree;
      make_tree (&tree);
      add_library (&tree, cases[i].library, true);
      write_file (beside (&tree, cases[i].beside), "", 0);
      expect (&tree, cases[i].counts ? cases[i].beside : NULL);
      remove_tree (&tree);
    }
}

#define EXPECT_NAMES(cases) \
  expect_names (cases, sizeof (cases) / sizeof *(cases))

TEST (by_its_name_or_soname)
{
  static const struct name_case cases[] = {
    { "libx.so.1.2", ".libx.so.1.2.hmac", true },
    { "libx.so.1.2", "libx.so.1.2.hmac", true },
    { "libx.so.1.2", "libx.so.1.2.chk", true },
    { "libx.so.1.2", ".libs.so.1.hmac", true },
    { "libx.so.1.2", "libs.so.1.hmac", true },
    { "libx.so.1.2", "libs.so.1.chk", true },
    { "x", "x.chk", true },
    { "libx.so", "libx.chk", true },
    { "libx.so", "libx.so.chk", true },
    { "libx.so.1", "libx.chk", false },
    { "libx", "libx.so.chk", false },
    { "libx.so", "libx.hmac", false },
    { "libx.so", "..libx.so.hmac", false },
    { "libx.so", ".libx.so.chk", false },
    { "libx.so", "liby.so.hmac", false },
    { "libx.so", "libx.so.hmac2", false },
    { "libx.so", "libx.so.chk2", false },
    { "libx.so", "libx.sohmac", false },
    { "libx.so", ".hmac", false },
    { "libx.so", "..hmac", false },
    { "libx.so", ".chk", false },
    { ".so", ".chk", false },
    { ".libx.so", ".libx.chk", true },
    { ".libx.so", "..libx.so.hmac", true },
    { ".libx.so", ".libx.so.hmac", false },
    { "so", "hmac", false },
  };
  EXPECT_NAMES (cases);
}

TEST (in_the_folders_of_checksums)
{
  static const struct name_case cases[] = {
    { "libx.so", "fipscheck/libx.so.hmac", true },
    { "libx.so", "fipshmac/libx.so.hmac", true },
    { "libx.so", "hmaccalc/libx.so.hmac", true },
    { "libx.so", "../lib/fipscheck/libx.so.hmac", true },
    { "libx.so", "../lib/fipshmac/libx.so.hmac", true },
    { "libx.so", "../lib/hmaccalc/libx.so.hmac", true },
    { "libx.so", "../lib64/fipscheck/libx.so.hmac", true },
    { "libx.so", "../lib64/fipshmac/.libx.so.hmac", true },
    { "libx.so", "../lib64/hmaccalc/.libs.so.1.hmac", true },
    { "libx.so", "../libx.so.hmac", false },
    { "libx.so", "../fipscheck/libx.so.hmac", false },
    { "libx.so", "other/libx.so.hmac", false },
  };
  EXPECT_NAMES (cases);
}

/* ext4's longest names.  */
TEST (by_names_of_any_length)
{
  static const char *const endings[] = { ".hmac", ".chk" };
  for (size_t i = 0; i < 2; i++)
    {
      char library[NAME_MAX + 1] = "", checksum[NAME_MAX + 1];
      memset (library, 'x', NAME_MAX - strlen (endings[i]));
      snprintf (checksum, sizeof checksum, "%s%s", library, endings[i]);
      struct tree tree;
      make_tree (&tree);
      add_library (&tree, library, false);
      expect (&tree, NULL);
      write_file (beside (&tree, checksum), "", 0);
      struct image image;
      struct error err = { 0 };
      const struct file_location location = file_location_of_path (tree.path);
      assert_true (image_open (&image, tree.path, &err));
      assert_false (checksum_check_none (&image, &location, &err));
      assert_int_equal (err.status, CFI2SFRAME_CHECKSUMMED);
      image_close (&image);
      remove_tree (&tree);
    }
  struct tree tree;
  char library[NAME_MAX + 1] = "", part[NAME_MAX + 3];
  memset (library, 'x', NAME_MAX);
  make_tree (&tree);
  add_library (&tree, library, false);
  snprintf (part, sizeof part, "[%s]", library);
  write_file (beside (&tree, "libq.so.hmac"), part, strlen (part));
  expect (&tree, "libq.so.hmac");
  remove_tree (&tree);
}

/* A link to it in its own folder is a name of it, wherever its checksum is. */
TEST (by_the_name_of_a_link)
{
  static const struct
  {
    const char *link, *to, *checksum;
    bool hard, counts;
  } cases[] = {
    { "libz.so.0", "libx.so", ".libz.so.0.hmac", false, true },
    { "libz.so.0", "libx.so", ".libz.so.0.hmac", true, true },
    { "libz.so.0", "libx.so", "fipscheck/libz.so.0.hmac", false, true },
    { "libz.so", "libx.so", "libz.chk", false, true },
    { "z", "libx.so", "z.hmac", false, true },
    { "libz.so.0", "liby.so", ".libz.so.0.hmac", false, false },
    { "libz.so.0", "nothing", ".libz.so.0.hmac", false, false },
    { "../libz.so.0", "x/libx.so", ".libz.so.0.hmac", false, false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      struct tree tree;
      make_tree (&tree);
      add_library (&tree, "liby.so", true);
      add_library (&tree, "libx.so", true);
      if (cases[i].hard)
        assert_int_equal (link (tree.path, beside (&tree, cases[i].link)), 0);
      else
        assert_int_equal (symlink (cases[i].to, beside (&tree, cases[i].link)),
                          0);
      write_file (beside (&tree, cases[i].checksum), "", 0);
      expect (&tree, cases[i].counts ? cases[i].checksum : NULL);
      remove_tree (&tree);
    }
}

/* Lists.  */

#define LIST ".libq.so.hmac"

/* A list has parts for several libraries.  */
TEST (in_a_list_of_several)
{
  static const struct
  {
    const char *name, *contents;
    bool soname, counts;
  } cases[] = {
    { LIST, "[global]\n[libx.so.1]\nhmac = 00\n", true, true },
    { LIST, "[global]\n[libx.so.1]\nhmac = 00\n", false, true },
    { LIST, "[global]\n[" SONAME "]\nhmac = 00\n", true, true },
    { LIST, "[global]\n[" SONAME "]\nhmac = 00\n", false, false },
    { LIST, "[libx.so.12]\n", true, false },
    { LIST, "[libx.so.1\n", true, false },
    { LIST, "libx.so.1]\n", true, false },
    { LIST, "[(null)]\n", false, false },
    { LIST, "", true, false },
    { "libq.so.chk", "[libx.so.1]\n", true, false },
    { "libq.so.list", "[libx.so.1]\n", true, false },
    { "fipshmac/libq.so.hmac", "[libx.so.1]\n", true, true },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      struct tree tree;
      make_tree (&tree);
      add_library (&tree, "libx.so.1", cases[i].soname);
      write_file (beside (&tree, cases[i].name), cases[i].contents,
                  strlen (cases[i].contents));
      expect (&tree, cases[i].counts ? cases[i].name : NULL);
      remove_tree (&tree);
    }
}

/* A name in a library need not be one that a file can have.  */
TEST (by_a_soname_of_any_length)
{
  enum
  {
    DYNSTR_SIZE = 0x148, /* up to .rodata */
    SIZES = 72           /* DT_STRSZ's value, seen from DYNAMIC */
  };
  for (size_t length = NAME_MAX; length <= NAME_MAX + 1; length++)
    {
      static struct elf_builder elf;
      char list[NAME_MAX + 4] = "[";
      struct tree tree;
      make_tree (&tree);
      elf_builder_program (&elf, EM_X86_64, false);
      add_soname (&elf);
      store_u64 (elf.bytes + DYNAMIC + SIZES, DYNSTR_SIZE, false);
      memset (elf.bytes + STRINGS + 11, 'x', length);
      elf.bytes[STRINGS + 11 + length] = '\0';
      elf_builder_finish (&elf);
      snprintf (tree.path, sizeof tree.path, "%s", beside (&tree, "libx.so"));
      write_file (tree.path, elf.bytes, elf.size);
      memset (list + 1, 'x', length);
      list[1 + length] = ']';
      write_file (beside (&tree, LIST), list, length + 2);
      expect (&tree, length == NAME_MAX ? LIST : NULL);
      remove_tree (&tree);
    }
}

/* Of long lists the first 16 KiB count, and nothing behind what is read.  */
TEST (in_a_long_list)
{
  static const char part[] = "[libx.so.1]";
  static char list[20000];
  static const struct
  {
    size_t at;
    bool counts;
  } cases[] = { { 16000, true }, { 16380, false }, { 17000, false } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      struct tree tree;
      make_tree (&tree);
      add_library (&tree, "libx.so.1", true);
      memset (list, '#', sizeof list);
      memcpy (list + cases[i].at, part, sizeof part - 1);
      write_file (beside (&tree, LIST), list, sizeof list);
      expect (&tree, cases[i].counts ? LIST : NULL);
      remove_tree (&tree);
    }
}

/* A directory may have many lists, in any order.  */
TREE_TEST (in_one_of_many_lists)
{
  char name[64];
  add_library (tree, "libx.so.1", true);
  for (unsigned i = 0; i < 64; i++)
    {
      snprintf (name, sizeof name, "lib%u.so.hmac", i);
      write_file (beside (tree, name), "[other]", 7);
    }
  expect (tree, NULL);
  for (unsigned i = 0; i < 64; i++)
    {
      snprintf (name, sizeof name, "lib%u.so.hmac", i);
      write_file (beside (tree, name), "[libx.so.1]", 11);
      expect (tree, name);
      write_file (beside (tree, name), "[other]", 7);
    }
}

/* Who has more has them to keep somebody busy.  */
TREE_TEST (in_none_of_too_many_lists)
{
  char name[64], names[65 * sizeof name];
  size_t size = 0;
  add_library (tree, "libx.so.1", true);
  struct file_location location = file_location_of_path (tree->path);
  location.checksums = names;
  for (unsigned i = 0; i < 65; i++)
    {
      size += (size_t)snprintf (name, sizeof name, "lib%u.so.hmac", i) + 1;
      strcpy (names + size - strlen (name) - 1, name);
      write_file (beside (tree, name), "[other]", 7);
    }
  names[size] = '\0';
  write_file (beside (tree, name), "[libx.so.1]", 11);
  expect_at (&location, NULL);
  write_file (beside (tree, "lib63.so.hmac"), "[libx.so.1]", 11);
  expect_at (&location, "lib63.so.hmac");
}

/* Neither what waits for a writer nor what a link leads to is read.  */
TREE_TEST (only_files_are_lists)
{
  add_library (tree, "libx.so.1", true);
  alarm (60);
  assert_int_equal (mkfifo (beside (tree, LIST), 0600), 0);
  expect (tree, NULL);
  unlink (beside (tree, LIST));
  assert_int_equal (mkdir (beside (tree, LIST), 0700), 0);
  expect (tree, NULL);
  rmdir (beside (tree, LIST));
  write_file (beside (tree, "../elsewhere"), "[libx.so.1]", 11);
  assert_int_equal (symlink ("../elsewhere", beside (tree, LIST)), 0);
  expect (tree, NULL);
  alarm (0);
}

/* OpenSSL's module.  */

TEST (openssl_keeps_one_in_its_configuration)
{
  static const struct
  {
    const char *library; /* seen from the folder x */
    bool beside;         /* is fipsmodule.cnf */
    bool counts;
  } cases[] = {
    { "fips.so", true, true },
    { "fips.so", false, false },
    { "fipsprovider.so", true, true },
    { "legacy.so", true, false },
    { "xfips.so", true, false },
    { "ossl-modules/fips.so", false, true },
    { "ossl-modules/fipsprovider.so", false, false },
    { "ossl-modules/legacy.so", false, false },
    { "my-ossl-modules/fips.so", false, false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      struct tree tree;
      make_tree (&tree);
      add_library (&tree, cases[i].library, true);
      if (cases[i].beside)
        write_file (beside (&tree, "fipsmodule.cnf"), "", 0);
      expect (&tree, cases[i].counts ? "fipsmodule.cnf" : NULL);
      remove_tree (&tree);
    }
}

/* IBM's ICC.  */

TREE_TEST (icc_signs_its_neighbours)
{
  add_library (tree, "libicclib085.so", true);
  write_file (beside (tree, "SIG.txt"), "", 0);
  expect (tree, NULL);
  write_file (beside (tree, "ICCSIG.txt"), "", 0);
  expect (tree, "ICCSIG.txt");
}

/* Ways to name a file.  */

/* The file is named by a link elsewhere, by its name alone, or found in an
   open directory.  */
TREE_TEST (whatever_way_leads_to_the_file)
{
  struct stat status;
  char link[PATH_MAX + 64];
  add_library (tree, "libx.so", false);
  write_file (beside (tree, "libx.so.hmac"), "", 0);
  write_file (beside (tree, "../../liby.so.hmac"), "", 0);
  snprintf (link, sizeof link, "%s/liby.so", tree->top);
  assert_int_equal (symlink (tree->path, link), 0);
  struct file_location location = file_location_of_path (link);
  expect_at (&location, "libx.so.hmac");

  int top = open (".", O_RDONLY | O_DIRECTORY);
  assert_int_equal (chdir (beside (tree, ".")), 0);
  location = file_location_of_path ("libx.so");
  expect_at (&location, "libx.so.hmac");
  assert_int_equal (fchdir (top), 0);
  close (top);

  /* Found under a name that has changed since.  */
  assert_int_equal (stat (tree->path, &status), 0);
  location = (struct file_location){
    .path = "somewhere/libx.so",
    .directory = open (beside (tree, "."), O_RDONLY | O_DIRECTORY),
    .name = "libx.so",
    .fixed = true,
    .identity = file_identity_of (&status),
  };
  expect_at (&location, "libx.so.hmac");
  location.path = "libx.so";
  expect_at (&location, "libx.so.hmac");
  /* Or that nothing has any more.  */
  struct image image;
  struct error err = { 0 };
  assert_true (image_open (&image, tree->path, &err));
  assert_int_equal (rename (tree->path, beside (tree, "liby.so")), 0);
  assert_false (checksum_check_none (&image, &location, &err));
  assert_int_equal (err.status, CFI2SFRAME_CHECKSUMMED);
  assert_int_equal (rename (beside (tree, "liby.so"), tree->path), 0);
  image_close (&image);
  /* The directory stays the caller's.  */
  assert_int_equal (close (location.directory), 0);
  unlink (beside (tree, "libx.so.hmac"));
  expect (tree, NULL);
}

/* Who knows the names is believed.  */
TREE_TEST (known_names_are_not_asked_for_again)
{
  add_library (tree, "libx.so", false);
  struct file_location location = file_location_of_path (tree->path);
  location.checksums = "libz.so.chk\0libx.so.hmac\0";
  expect_at (&location, "libx.so.hmac");
  location.checksums = ".libz.so.hmac\0.libx.so.hmac\0";
  expect_at (&location, ".libx.so.hmac");
  write_file (beside (tree, "libx.so.hmac"), "", 0);
  location.checksums = "";
  expect_at (&location, NULL);
  location.checksums = "\0libx.so.hmac\0";
  expect_at (&location, NULL);
  /* But not of other folders.  */
  write_file (beside (tree, "fipscheck/libx.so.hmac"), "", 0);
  expect_at (&location, "fipscheck/libx.so.hmac");
}

/* A tree's programs are many, and hardly any has such a folder beside it.  */
TEST (folders_that_are_not_there_are_not_asked_for_again)
{
  struct tree tree;
  make_tree (&tree);
  add_library (&tree, "libx.so", false);
  struct file_location location = file_location_of_path (tree.path);
  assert_false (has_folders (&tree));
  location.no_checksum_folders = true;
  write_file (beside (&tree, "fipscheck/libx.so.hmac"), "", 0);
  assert_true (has_folders (&tree));
  expect_at (&location, NULL);
  write_file (beside (&tree, "libx.so.hmac"), "", 0);
  expect_at (&location, "libx.so.hmac");
  remove_tree (&tree);
  /* What cannot be told may be.  */
  assert_true (checksum_has_folders (-1));
}

/* Names that somebody knows may be longer than those of files, and of many
   the first ones count.  So it is with those of a directory.  */
TREE_TEST (of_many_names_the_first_count)
{
  enum
  {
    ENTRIES = 1 << 15,
    LENGTH = 100000
  };
  static const char *const both[] = { "libx.so.chk", "libx.so.hmac", NULL };
  static char names[LENGTH + 20];
  add_library (tree, "libx.so", false);
  struct file_location location = file_location_of_path (tree->path);
  memset (names, 'x', LENGTH);
  memcpy (names + LENGTH, ".hmac", sizeof ".hmac");
  location.checksums = names;
  expect_at (&location, NULL);
  location.checksums = "libx.so.chk\0libx.so.hmac\0";
  expect_at (&location, "libx.so.chk");
  location.checksums = names;
  for (size_t others = ENTRIES - 1; others <= ENTRIES; others++)
    {
      memset (names, 0, sizeof names);
      for (size_t i = 0; i < others; i++)
        names[2 * i] = 'x';
      memcpy (names + 2 * others, "libx.so.hmac", sizeof "libx.so.hmac");
      expect_at (&location, others < ENTRIES ? "libx.so.hmac" : NULL);
    }
  location.checksums = NULL;
  for (size_t others = ENTRIES - 1; others <= ENTRIES; others++)
    {
      directories.others = others;
      directories.names = both + 1;
      expect_at (&location, others < ENTRIES ? "libx.so.hmac" : NULL);
    }
  directories.names = both;
  expect_at (&location, "libx.so.chk");
  directories.names = NULL;
}

static unsigned
count_descriptors (void)
{
  unsigned n = 0;
  for (int fd = 0; fd < 256; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

/* Every directory is closed again.  */
TREE_TEST (nothing_stays_open)
{
  add_library (tree, "libx.so", false);
  write_file (beside (tree, LIST), "[other]", 7);
  unsigned before = count_descriptors ();
  expect (tree, NULL);
  write_file (beside (tree, "fipscheck/libx.so.hmac"), "", 0);
  expect (tree, "fipscheck/libx.so.hmac");
  /* A folder's name that is a file.  */
  write_file (beside (tree, "hmaccalc"), "", 0);
  expect (tree, "fipscheck/libx.so.hmac");
  assert_int_equal (count_descriptors (), before);
}

/* A file whose checksum may have been overlooked is not converted.  */
TREE_TEST (a_directory_that_cannot_be_opened_is_an_error)
{
  struct image image;
  struct error err = { 0 };
  struct rlimit before, none;
  add_library (tree, "libx.so", false);
  struct file_location location = file_location_of_path (tree->path);
  for (unsigned known = 0; known < 2; known++)
    {
      location.checksums = known ? "" : NULL;
      assert_true (image_open (&image, tree->path, &err));
      assert_int_equal (getrlimit (RLIMIT_NOFILE, &before), 0);
      none = before;
      none.rlim_cur = 0;
      assert_int_equal (setrlimit (RLIMIT_NOFILE, &none), 0);
      bool fine = checksum_check_none (&image, &location, &err);
      assert_int_equal (setrlimit (RLIMIT_NOFILE, &before), 0);
      assert_false (fine);
      assert_int_equal (err.status, CFI2SFRAME_IO);
      image_close (&image);
      error_clear (&err);
    }
}

/* Without standard input its descriptor is given to the directory.  */
TREE_TEST (a_directory_may_be_descriptor_0)
{
  add_library (tree, "libx.so", false);
  int input = dup (STDIN_FILENO);
  assert_true (input >= 0);
  for (unsigned found = 0; found < 2; found++)
    {
      struct file_location location = file_location_of_path (tree->path);
      struct image image;
      struct error err = { 0 };
      if (found)
        write_file (beside (tree, ".libx.so.hmac"), "x", 1);
      assert_true (image_open (&image, tree->path, &err));
      close (STDIN_FILENO);
      bool fine = checksum_check_none (&image, &location, &err);
      assert_int_equal (fcntl (STDIN_FILENO, F_GETFD), -1);
      assert_int_equal (dup2 (input, STDIN_FILENO), STDIN_FILENO);
      assert_int_equal (fine, !found);
      assert_int_equal (err.status,
                        found ? CFI2SFRAME_CHECKSUMMED : CFI2SFRAME_OK);
      image_close (&image);
      error_clear (&err);
    }
  close (input);
}

/* So is what is read in a directory that the caller has opened.  */
TEST (what_is_read_may_be_descriptor_0)
{
  static const struct
  {
    const char *name, *contents, *known;
    int fail;
    bool found;
  } cases[] = {
    { "fipscheck/libx.so.hmac", "", NULL, 0, true },
    { LIST, "[libx.so]", LIST "\0", 0, true },
    { LIST, "[other]", LIST "\0", 0, false },
    { "libx.so.hmac", "", NULL, ENOMEM, true },
    { "libx.so.hmac", "", NULL, EMFILE, true },
    { "libx.so.hmac", "", NULL, ENFILE, true },
    { "libx.so.hmac", "", NULL, ENOTDIR, false },
  };
  int input = dup (STDIN_FILENO);
  assert_true (input >= 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      struct tree tree;
      struct image image;
      struct error err = { 0 };
      make_tree (&tree);
      add_library (&tree, "libx.so", false);
      write_file (beside (&tree, cases[i].name), cases[i].contents,
                  strlen (cases[i].contents));
      struct file_location location
          = { .path = tree.path,
              .directory = open (beside (&tree, "."), O_RDONLY | O_DIRECTORY),
              .name = "libx.so",
              .fixed = true,
              .checksums = cases[i].known };
      assert_true (image_open (&image, tree.path, &err));
      close (STDIN_FILENO);
      directories.fail = cases[i].fail;
      bool fine = checksum_check_none (&image, &location, &err);
      directories.fail = false;
      int left = fcntl (STDIN_FILENO, F_GETFD);
      assert_int_equal (dup2 (input, STDIN_FILENO), STDIN_FILENO);
      assert_int_equal (left, -1);
      assert_int_equal (fine, !cases[i].found);
      if (cases[i].found)
        assert_int_equal (err.status, cases[i].fail != 0
                                          ? CFI2SFRAME_IO
                                          : CFI2SFRAME_CHECKSUMMED);
      image_close (&image);
      close (location.directory);
      remove_tree (&tree);
    }
  close (input);
}

/* And so may be what the caller has opened.  */
TREE_TEST (a_known_directory_may_be_descriptor_0)
{
  struct image image;
  struct error err = { 0 };
  add_library (tree, "libx.so", false);
  write_file (beside (tree, "libx.so.hmac"), "", 0);
  int directory = open (beside (tree, "."), O_RDONLY | O_DIRECTORY);
  int input = dup (STDIN_FILENO);
  assert_true (directory >= 0 && input >= 0);
  assert_true (image_open (&image, tree->path, &err));
  const struct file_location location = { .path = "somewhere/libx.so",
                                          .directory = STDIN_FILENO,
                                          .name = "libx.so",
                                          .fixed = true };
  assert_int_equal (dup2 (directory, STDIN_FILENO), STDIN_FILENO);
  bool fine = checksum_check_none (&image, &location, &err);
  assert_true (fcntl (STDIN_FILENO, F_GETFD) >= 0);
  assert_int_equal (dup2 (input, STDIN_FILENO), STDIN_FILENO);
  assert_false (fine);
  assert_int_equal (err.status, CFI2SFRAME_CHECKSUMMED);
  image_close (&image);
  close (directory);
  close (input);
}

/* The program of an initial RAM file system is /init.  */
TREE_TEST (a_file_may_be_in_the_root_directory)
{
  struct image image;
  struct error err = { 0 };
  add_library (tree, "x", false);
  write_file (beside (tree, "x.hmac"), "", 0);
  const struct file_location location
      = { .path = "/x", .directory = AT_FDCWD, .name = "/x", .fixed = true };
  int here = open (".", O_RDONLY | O_DIRECTORY);
  assert_true (image_open (&image, tree->path, &err));
  assert_int_equal (chdir (beside (tree, ".")), 0);
  if (!checksum_check_none (&image, &location, &err))
    fail_msg ("%s", err.reason);
  assert_int_equal (fchdir (here), 0);
  close (here);
  image_close (&image);
}

TREE_TEST (a_file_that_is_gone_is_an_error)
{
  struct image image;
  struct error err = { 0 };
  add_library (tree, "libx.so", false);
  const struct file_location location = file_location_of_path (tree->path);
  assert_true (image_open (&image, tree->path, &err));
  unlink (tree->path);
  assert_false (checksum_check_none (&image, &location, &err));
  assert_int_equal (err.status, CFI2SFRAME_IO);
  assert_memory_equal (err.reason, "realpath", 8);
  int fd = image.fd;
  image.fd = -1;
  err = (struct error){ 0 };
  assert_false (checksum_check_none (&image, &location, &err));
  assert_int_equal (err.status, CFI2SFRAME_IO);
  assert_memory_equal (err.reason, "fstat", 5);
  image.fd = fd;
  image_close (&image);
}

/* Notes.  */

enum note_place
{
  IN_A_SEGMENT,
  IN_NO_SEGMENT, /* a program header of another type */
  BEHIND_ANOTHER,
  ALIGNED_TO_8, /* behind another, which has a size that is not a multiple of 8
                 */
  OF_A_LONGER_NAME
};

static void
expect_note (const char *owner, uint32_t type, enum note_place place,
             bool counts)
{
  static struct elf_builder elf;
  struct tree tree;
  make_tree (&tree);
  elf_builder_program (&elf, EM_X86_64, false);
  uint64_t at = NOTE;
  Elf64_Phdr *segment = elf_builder_segment (&elf, PT_NOTE);
  if (place == BEHIND_ANOTHER || place == ALIGNED_TO_8)
    {
      elf_builder_note (&elf, 0x400, "GNU", NT_GNU_BUILD_ID, 20);
      at = place == ALIGNED_TO_8 ? 0x428 : 0x424;
      segment->p_offset = segment->p_vaddr = segment->p_paddr = 0x400;
      segment->p_filesz = segment->p_memsz = at + 16 + 32 - 0x400;
      segment->p_align = place == ALIGNED_TO_8 ? 8 : 4;
    }
  else if (place == IN_NO_SEGMENT)
    segment->p_type = PT_GNU_RELRO;
  bool alone = at == NOTE;
  elf_builder_note (&elf, at, owner, type, alone ? 20 : 32);
  if (place == OF_A_LONGER_NAME)
    store_u32 (elf.bytes + at, 5, false);
  elf_builder_finish (&elf);
  snprintf (tree.path, sizeof tree.path, "%s", beside (&tree, "libx.so"));
  write_file (tree.path, elf.bytes, elf.size);
  expect (&tree, counts ? "a note in it" : NULL);
  remove_tree (&tree);
}

TEST (in_a_note)
{
  expect_note ("FDO", NT_FDO_INTEGRITY, IN_A_SEGMENT, true);
  expect_note ("FDO", NT_FDO_INTEGRITY, BEHIND_ANOTHER, true);
  expect_note ("FDO", NT_FDO_INTEGRITY, ALIGNED_TO_8, true);
  expect_note ("FDO", NT_FDO_INTEGRITY, IN_NO_SEGMENT, false);
  expect_note ("FDO", NT_FDO_INTEGRITY, OF_A_LONGER_NAME, false);
  expect_note ("FDO", NT_FDO_INTEGRITY + 1, IN_A_SEGMENT, false);
  expect_note ("FDP", NT_FDO_INTEGRITY, IN_A_SEGMENT, false);
  expect_note ("GNU", NT_FDO_INTEGRITY, BEHIND_ANOTHER, false);
  expect_note ("FDO", NT_GNU_BUILD_ID, BEHIND_ANOTHER, false);
}

/* A section of notes with such a name may have anything in it; .rodata1 has a
   checksum if it has the size of one.  */
TEST (in_a_section)
{
  static const struct
  {
    const char *name;
    uint32_t type;
    uint64_t size;
    const char *found;
  } cases[] = {
    { ".note.fdo.integrity", SHT_NOTE, 16, "a note in it" },
    { ".note.integrity", SHT_NOTE, 16, "a note in it" },
    { ".note.fdo.integrity", SHT_PROGBITS, 16, NULL },
    { ".note.other", SHT_NOTE, 16, NULL },
    { ".rodata1", SHT_PROGBITS, 32, "its section .rodata1" },
    { ".rodata1", SHT_PROGBITS, 16, NULL },
    { ".rodata", SHT_PROGBITS, 32, NULL },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      static struct elf_builder elf;
      struct tree tree;
      make_tree (&tree);
      elf_builder_program (&elf, EM_X86_64, false);
      elf_builder_add_section (&elf, cases[i].name, cases[i].type, 0, 0x480,
                               cases[i].size, 4);
      elf_builder_finish (&elf);
      snprintf (tree.path, sizeof tree.path, "%s", beside (&tree, "libx.so"));
      write_file (tree.path, elf.bytes, elf.size);
      expect (&tree, cases[i].found);
      remove_tree (&tree);
    }
}

/* What stands behind the tables of an image is not part of it.  */
TEST (in_no_note_behind_the_last)
{
  for (unsigned of_sections = 0; of_sections < 2; of_sections++)
    {
      static struct elf_builder elf;
      struct tree tree;
      struct image image;
      struct error err = { 0 };
      make_tree (&tree);
      elf_builder_program (&elf, EM_X86_64, false);
      elf_builder_segment (&elf, PT_NOTE);
      if (of_sections)
        elf_builder_add_section (&elf, ".note.integrity", SHT_NOTE, 0, 0x480,
                                 16, 4);
      else
        elf_builder_note (&elf, NOTE, "FDO", NT_FDO_INTEGRITY, 20);
      elf_builder_finish (&elf);
      snprintf (tree.path, sizeof tree.path, "%s", beside (&tree, "libx.so"));
      write_file (tree.path, elf.bytes, elf.size);
      const struct file_location location = file_location_of_path (tree.path);
      assert_true (image_open (&image, tree.path, &err));
      size_t n_segments = image.n_segments, n_sections = image.n_sections;
      assert_false (checksum_check_none (&image, &location, &err));
      assert_int_equal (err.status, CFI2SFRAME_CHECKSUMMED);
      error_clear (&err);
      if (of_sections)
        while (strcmp (image.sections[image.n_sections - 1].name,
                       ".note.integrity")
               != 0)
          image.n_sections--;
      else
        while (image.segments[image.n_segments - 1].p_type != PT_NOTE)
          image.n_segments--;
      image.n_sections -= of_sections;
      image.n_segments -= !of_sections;
      assert_true (checksum_check_none (&image, &location, &err));
      image.n_segments = n_segments;
      image.n_sections = n_sections;
      image_close (&image);
      remove_tree (&tree);
    }
}
