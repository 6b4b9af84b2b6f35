"""Would a test notice?  Single mutations of C files, run against the tests.

Used by tools/maintainer/mutants.sh, which says what for.  mutations.py makes the mutants;
this program builds with each, runs tests, and reports.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import argparse
import collections
import glob
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
from mutations import edited, mutants_of, squeeze

# What the command line does with the code beside its CFI.
CODE_BATS = "lint.bats lint_reports.bats analyze.bats"

# Which tests concern a file: those of the first rule that matches.  A plain name is a
# unit test.  NAME.bats:FILTER stands for the tests of a bats file whose names match.
# A name with a slash is a script, which is called with the build folder.
RULES = [
    (r"src/cfi/(cfa_program|cfa_opcode)\.c",
     "cfa_program walk program_table cunwind_function reader memory "
     "landing_pads tests/random_cfi/random_cfi.sh"),
    (r"src/cfi/landing_pads\.c", f"landing_pads memory {CODE_BATS}"),
    (r"src/cfi/finished_rows\.c",
     f"walk program_table return_sites memory {CODE_BATS}"),
    (r"src/cfi/return_sites\.c", "return_sites calls memory return_address.bats"),
    (r"src/cfi/precedence\.c", "debug_frame elf_readers walk debug_frame.bats"),
    (r"src/cfi/walk\.c", "walk memory overlap.bats"),
    (r"src/cfi/plt\.c", "plt walk arch lower memory relocated.bats"),
    (r"src/cfi/fde\.c",
     "plain_fde program_table reader walk memory overlap.bats"),
    (r"src/cfi/",
     "reader debug_frame cfa_program walk program_table arch memory "
     "relocated.bats "
     "overlap.bats bad_input.bats:(eh_frame|entry|FDE)"),
    (r"src/sframe/lower",
     "lower encode verify compare memory gnu.bats:fixtures"),
    (r"src/sframe/(partition|pieces|segments)\.c",
     "pieces encode lower memory gnu.bats:fixtures"),
    (r"src/sframe/readers\.c", "readers verify memory"),
    (r"src/sframe/(compare|sweep)\.c", "compare verify memory"),
    (r"src/sframe/gnu", "memory gnu.bats"),
    (r"src/sframe/(decode|dump)\.c",
     "decode dump encode verify memory gnu.bats:fixtures"),
    (r"src/sframe/", "encode decode verify lower compare memory "
     "gnu.bats:fixtures"),
    (r"src/(elf|write)/(output_file|file_metadata|file_location"
     r"|temporary|flush)\.c",
     "file_metadata output_file undo inject memory "
     "writing.bats tests/faults/faults.sh"),
    (r"src/write/debug_twin\.c",
     "debug_twin debug_file memory debug_twin.bats"),
    (r"src/write/undo",
     "undo inject memory existing.bats"),
    (r"src/write/(existing|inject)",
     "existing inject place growing undo memory existing.bats"),
    (r"src/place/",
     "eviction growing place plan references refusals inject memory "
     "layouts.bats tests/matrix/short.sh"),
    (r"src/elf/checksum\.c", "checksum writing.bats:checksum"),
    (r"(src/elf/(padding|symbols)|relocatable/)",
     "object_check padding memory relocatable.bats"),
    (r"src/elf/debug_file\.c", "debug_file memory debug_frame.bats"),
    (r"src/elf/dynamic\.c",
     "dynamic_relocations place eviction plt memory relocated.bats"),
    (r"src/elf/",
     "inject place growing undo walk memory bad_input.bats existing.bats"),
    (r"prove/", "tests/prove/prove.sh"),
    (r"src/frame/", "cfa_program lower compare program_table memory"),
    (r"src/arch/\w+_patterns\.c", "references eviction layouts.bats"),
    (r"src/arch/", "arch walk lower gnu.bats:fixtures"),
    (r"src/base/", "base decode encode undo inject memory"),
    (r"compact-unwind/", "cunwind_encoding cunwind_function cunwind_info"),
    (r"walk/", "backtrace publishing sframewalk apply lookup"),
    (r"stacks/perfdata/", "perfdata perf_data.bats"),
    (r"stacks/(flame_graph|folded|top)\.c", "flame_graph top profile.bats"),
    (r"stacks/(core|mappings|memory)\.c",
     "core process stack.bats core.bats profile.bats"),
    (r"stacks/(symbol_index|code_symbols|file_finder|inlines|jit_names)\.c",
     "inlines jit_names symbol_index stack.bats profile.bats"),
    (r"stacks/(profile|perf|command|firefox|pprof)",
     "live profile profile.bats perf_data.bats"),
    (r"stacks/", "core live process register_rules stack_walk syscall_code "
     "stack.bats profile.bats"),
    (r"analysis/insn", "insn insn_aarch64 tests/analysis/idioms.sh"),
    (r"analysis/(state|jump_table)",
     "state state_branch state_join state_row jump_table "
     f"tests/analysis/idioms.sh {CODE_BATS}"),
    (r"analysis/found_functions",
     f"code_evidence tests/analysis/idioms.sh {CODE_BATS} debug_frame.bats"),
    (r"analysis/finding", f"library.bats names.bats {CODE_BATS}"),
    (r"analysis/", f"state state_row routine gopclntab tests/analysis/idioms.sh {CODE_BATS}"),
    (r"src/convert/code_evidence\.c",
     f"code_evidence tests/analysis/idioms.sh {CODE_BATS} debug_frame.bats"),
    (r"src/convert/(for_readers|section_check)\.c",
     "for_readers memory existing.bats"),
    (r"src/convert/replaced_file\.c", "trees.bats:link"),
    (r"src/cli/", "options.bats trees.bats"),
    (r"", "memory existing.bats options.bats"),
]

# A test may take SLOWER times its normal processor time and EXTRA_SECONDS.  Elapsed
# time would depend on what else runs.
EXTRA_SECONDS = 1
SLOWER = 5
# A deadlock takes no processor time.
ELAPSED_SECONDS = 600
# Tests make sparse files of several GiB.
FILE_SIZE = 1 << 36

PROGRAM = "src/cfi2sframe"
# What scripts run besides the program.
SCRIPT_PROGRAMS = {
    **dict.fromkeys(
        ("stack.bats", "profile.bats", "core.bats", "perf_data.bats"),
        ("stacks/sframe-stack", "stacks/sframe-profile")),
    "tests/analysis/idioms.sh": ("tests/analysis/hidden_cfi",),
    "tests/matrix/short.sh": ("tests/matrix/inject_blob",),
    "tests/faults/faults.sh": ("tests/faults/rewrite",),
    "debug_frame.bats": ("prove/sframe-prove",),
    "tests/prove/prove.sh": ("prove/sframe-prove",),
    "tests/random_cfi/random_cfi.sh": ("prove/sframe-prove",),
}
LIBRARIES = ("libcore", "libwalk", "libstacks", "libperfdata", "libbuilders")

def read_equivalent(path):
    """The mutants that no test can notice; the head of the file describes it."""
    known, place, old, new = {}, None, None, None
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            mark, rest = line[:1], squeeze(line[1:])
            if mark == "@":
                words = rest.split() + [""]
                turn = int(words[2]) if len(words) > 3 else 1
                place = words[0], words[1], turn
            elif mark == "-":
                old = rest
            elif mark == "+":
                new = rest
            elif mark == "=":
                known[(*place, old, new)] = rest
    return known


def found(srcdir, name):
    """The path of the test NAME, which is in some folder of tests/."""
    [path] = glob.glob(os.path.join(srcdir, "tests/*", name))
    return os.path.relpath(path, srcdir)


class Workplace:
    """A place where one mutant at a time is compiled and tried.  Everything but the
    mutant's own object comes from the build folder."""

    def __init__(self, setting):
        self.setting = setting
        self.folder = tempfile.mkdtemp(prefix="mutants.", dir=setting.build)
        self.scratch = os.path.join(self.folder, "tmp")
        for name in ("src", "prove", "stacks", "tests/analysis",
                     "tests/compact-unwind", "tests/faults", "tests/matrix",
                     "tests/relocatable", "tests/stacks", "tests/unit",
                     "tests/walk"):
            os.makedirs(os.path.join(self.folder, name))
        for name in ("tests/random_cfi", ".libs", "config.h"):
            os.symlink(os.path.join(setting.build, name),
                       os.path.join(self.folder, name))
        self.source = os.path.join(self.folder, "mutant.c")
        self.object = os.path.join(self.folder, "mutant.o")
        self.linked = set()
        self.file = ""  # what the mutant is made of
        self.failure = ""
        self.skipped_all = False

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def compile(self, file, text):
        """The object of FILE with this TEXT, as bytes; None if it does not
        compile."""
        self.file = file
        for name in self.linked:
            os.unlink(os.path.join(self.folder, name))
        self.linked.clear()
        with open(self.source, "w", encoding="utf-8") as out:
            out.write(text)
        # Headers named in quotes may be in the folder of the source.
        command = (self.setting.values["COMPILE"].split()
                   + ["-w", "-fPIC", "-iquote",
                      os.path.dirname(os.path.join(self.setting.srcdir, file)),
                      "-c", self.source, "-o", self.object])
        done = subprocess.run(command, cwd=self.setting.build, check=False,
                              stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            return None
        with open(self.object, "rb") as result:
            return result.read()

    def link(self, name):
        """Make the program NAME of the build folder, with the mutant."""
        if name in self.linked:
            return
        values = self.setting.values
        variable = variable_of(name)
        own, libraries = values[variable + "_OBJECTS"].split(), []
        objects = [word for word in own if not self.is_object(word)]
        has_it = len(objects) < len(own)
        for word in values[variable + "_LDADD"].split():
            if word.endswith(".la"):
                has_it = has_it or any(
                    map(self.is_object, self.setting.objects_of(word)))
            libraries += self.setting.linked_for(word)
        command = (values["CC"].split() + values["CFLAGS"].split()
                   + values["LDFLAGS"].split()
                   + values.get(variable + "_LDFLAGS", "").split()
                   + ["-o", os.path.join(self.folder, name)]
                   # The linker takes this in place of the archive's member.
                   + objects + ([self.object] if has_it else [])
                   + libraries + values["LIBS"].split())
        subprocess.run(command, cwd=self.setting.build, check=True,
                       stderr=subprocess.DEVNULL)
        self.linked.add(name)

    def is_object(self, name):
        """Whether the build folder's object NAME is that of the mutant's file.
        Automake prefixes it with the program, if the program has its own flags."""
        folder, stem = os.path.split(self.file.removesuffix(".c"))
        return re.fullmatch(rf"{re.escape(folder)}/(\w+-)?{stem}\.l?o",
                            name) is not None

    def command(self, test):
        """The command that runs TEST."""
        srcdir = self.setting.srcdir
        if ".bats" in test:
            name, _, wanted = test.partition(":")
            for program in (PROGRAM,) + SCRIPT_PROGRAMS.get(name, ()):
                self.link(program)
            return (["sh", f"{srcdir}/tests/run-bats.sh",
                     self.setting.values["BATS"]]
                    + (["-f", wanted] if wanted else [])
                    + [f"{srcdir}/{found(srcdir, name)}"])
        if "/" in test:
            for name in (PROGRAM,) + SCRIPT_PROGRAMS.get(test, ()):
                self.link(name)
            return ["bash", f"{srcdir}/{test}"]
        program = found(srcdir, f"test_{test}.c").removesuffix(".c")
        self.link(program)
        return [program]

    def passes(self, test, seconds):
        """Whether TEST passes within SECONDS of processor time, and how many seconds
        it took.  If it fails, self.failure is the line that says so."""
        os.mkdir(self.scratch)
        environment = dict(self.setting.environment, TMPDIR=self.scratch,
                           CFI2SFRAME=os.path.join(self.folder, PROGRAM))

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU,
                               (int(seconds) + 1, int(seconds) + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))

        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with subprocess.Popen(self.command(test), cwd=self.folder,
                              env=environment, preexec_fn=limits,
                              start_new_session=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            passed = self.watch(process)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["chmod", "-R", "u+w", self.scratch], check=False,
                       stderr=subprocess.DEVNULL)
        shutil.rmtree(self.scratch, ignore_errors=True)
        return passed, (after.ru_utime + after.ru_stime
                        - before.ru_utime - before.ru_stime)

    def watch(self, process):
        """Read TAP up to the first failure, and end the test then."""
        timer = threading.Timer(ELAPSED_SECONDS, Workplace.end, [process])
        timer.start()
        self.failure, self.skipped_all = "", True
        for line in process.stdout:
            if line.startswith(b"ok") and b"# skip" not in line.lower():
                self.skipped_all = False
            if line.startswith(b"not ok") and b"# SKIP" not in line:
                self.failure = line.decode(errors="replace").strip()
                break
        if self.failure:
            Workplace.end(process)
        timer.cancel()
        return process.wait() == 0 and not self.failure

    @staticmethod
    def end(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Setting:
    """A build folder: how its programs are made, and how long its tests take."""

    def __init__(self, srcdir, build, name):
        self.srcdir, self.build = srcdir, os.path.abspath(build)
        self.name = name
        self.values = self.read_values()
        self.environment = dict(os.environ, srcdir=srcdir, builddir=self.build,
                                CC=self.values["CC"], LC_ALL="C", TZ="UTC",
                                CMOCKA_MESSAGE_OUTPUT="TAP")
        self.seconds = {}

    def choose(self, tests):
        """Those of TESTS that run here: with sanitizers only unit tests."""
        if not self.name:
            return tests
        return [t for t in tests if "/" not in t and "." not in t]

    def read_values(self):
        """The variables of the Makefile that concern compiling and linking."""
        programs = [PROGRAM] + sorted({p for ps in SCRIPT_PROGRAMS.values()
                                       for p in ps})
        programs += sorted(
            os.path.relpath(path, self.srcdir).removesuffix(".c") for path
            in glob.glob(os.path.join(self.srcdir, "tests/*/test_*.c")))
        variables = [variable_of(p) for p in programs]
        names = [v + "_OBJECTS" for v in variables]
        names += [v + "_LDFLAGS" for v in variables]
        names += [library + end for library in LIBRARIES
                  for end in ("_la_OBJECTS", "_la_LIBADD")]
        names += ["CC", "CFLAGS", "LDFLAGS", "COMPILE", "LIBS", "BATS"]
        rules = "".join(f"\t@echo '{name}=$({name})'\n" for name in names)
        rules += "".join(f"\t@echo '{v}_LDADD=$(or $({v}_LDADD),$(LDADD))'\n"
                         for v in variables)
        output = subprocess.run(
            ["make", "-s", "-C", self.build, "--no-print-directory", "-f",
             "Makefile", "-f", "-", "mutants-values"], check=True, text=True,
            stdout=subprocess.PIPE,
            input="mutants-values:\n" + rules).stdout
        return dict(line.split("=", 1) for line in output.splitlines())

    def objects_of(self, library):
        """The objects of a convenience library and of those within it."""
        name = library.removesuffix(".la")
        objects = self.values[name + "_la_OBJECTS"].split()
        for word in self.values[name + "_la_LIBADD"].split():
            if word.endswith(".la"):
                objects += self.objects_of(word)
        return objects

    def linked_for(self, word):
        """What the linker gets for this word of a program's LDADD."""
        if not word.endswith(".la"):
            return [word]
        name = word.removesuffix(".la")
        # A convenience library within another is in its archive already.
        return [f".libs/{name}.a"] + [
            other for other in self.values[name + "_la_LIBADD"].split()
            if not other.endswith(".la")]

    def measure(self, workplace, file, tests):
        """Every test must pass without a mutation; note how long it takes."""
        with open(os.path.join(self.srcdir, file), encoding="utf-8") as source:
            unchanged = workplace.compile(file, source.read())
        if unchanged is None:
            raise SystemExit(f"mutants: {file} does not compile")
        for test in tests:
            if test in self.seconds:
                continue
            passed, seconds = workplace.passes(test, 3600)
            if not passed:
                raise SystemExit(f"mutants: {test} fails without a mutation: "
                                 + workplace.failure)
            if workplace.skipped_all:
                raise SystemExit(f"mutants: {test} tests nothing here")
            self.seconds[test] = seconds * SLOWER + EXTRA_SECONDS
        return unchanged


def variable_of(program):
    """The beginning of the names of Automake's variables about PROGRAM."""
    return re.sub(r"\W", "_", program)


def tests_of(file):
    for pattern, tests in RULES:
        if re.match(pattern, file):
            return tests.split()
    return []


def label_of(mutant, change):
    turn = f" {change.turn}" if change.turn > 1 else ""
    return (f"{mutant.file}:{change.line}: {mutant.kind} in "
            f"{change.function}{turn}\n"
            f"  - {change.old}\n  + {change.new}")


class Report:
    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.survivors = []
        self.killers = collections.Counter()

    def add(self, mutant, change, verdict, killer):
        self.counts[os.path.dirname(mutant.file)][verdict] += 1
        if verdict == "killed":
            self.killers[killer] += 1
        if verdict == "survived":
            self.survivors.append(label_of(mutant, change))
            print("survived: " + self.survivors[-1], flush=True)

    def show(self):
        print(f"{'':14}{'made':>6}{'killed':>8}{'equivalent':>12}"
              f"{'survived':>10}")
        total = collections.Counter()
        for folder in sorted(self.counts):
            self.line(folder, self.counts[folder])
            total += self.counts[folder]
        self.line("all", total)
        of = total["killed"] + total["survived"]
        if of > 0:
            print(f"survived: {100 * total['survived'] / of:.1f} % of {of} "
                  "that are not equivalent")
        print("killed by: " + ", ".join(f"{test} {n}" for test, n
                                        in self.killers.most_common()))

    @staticmethod
    def line(name, counts):
        equivalent = counts["same code"] + counts["listed"]
        made = equivalent + counts["killed"] + counts["survived"]
        print(f"{name:14}{made:6}{counts['killed']:8}{equivalent:12}"
              f"{counts['survived']:10}")


def survivors_of(log):
    """The mutants that survived when LOG was printed."""
    found, file, old = set(), None, None
    with open(log, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("survived: "):
                file = line.split()[1].split(":")[0]
            elif line.startswith("  - "):
                old = line[4:].strip()
            elif line.startswith("  +"):
                found.add((file, old, line[3:].strip()))
    return found


class Runner:
    def __init__(self, settings, arguments, equivalent):
        self.settings, self.arguments = settings, arguments
        self.equivalent = equivalent
        self.report = Report()
        self.lock = threading.Lock()
        self.unchanged = {}
        self.done = 0

    def tests_of(self, file):
        if self.arguments.tests:
            return self.arguments.tests.split(",")
        return tests_of(file)

    def prepare(self, files):
        for setting in self.settings:
            place = Workplace(setting)
            try:
                for file in files:
                    self.unchanged[setting, file] = setting.measure(
                        place, file, setting.choose(self.tests_of(file)))
            finally:
                place.close()

    def work(self, queue):
        places = [Workplace(setting) for setting in self.settings]
        try:
            while True:
                with self.lock:
                    item = next(queue, None)
                if item is None:
                    return
                self.one(places, *item)
                self.done += 1
        finally:
            for place in places:
                place.close()

    def try_mutant(self, place, mutant, change):
        """The verdict on a mutant, and the test that killed it."""
        result = place.compile(mutant.file, change.result)
        if result is None:
            return "compiler", None
        # An edit is run even if it makes no difference.
        if (result == self.unchanged[place.setting, mutant.file]
                and mutant.kind != "edit"):
            return "same code", None
        # The fastest first: most mutants are killed by any.
        for test in sorted(place.setting.choose(self.tests_of(mutant.file)),
                           key=place.setting.seconds.get):
            if not place.passes(test, place.setting.seconds[test])[0]:
                return "killed", place.setting.name + test
        return "survived", None

    def one(self, places, mutant, change):
        if change.key(mutant.file) in self.equivalent:
            verdict, killer = "listed", None
        else:
            for place in places:
                verdict, killer = self.try_mutant(place, mutant, change)
                if verdict != "survived":
                    break
        with self.lock:
            self.report.add(mutant, change, verdict, killer)
            if self.arguments.verbose and verdict != "survived":
                print(f"{killer or verdict}: {label_of(mutant, change)}",
                      flush=True)

    def run(self, items):
        self.prepare(sorted({mutant.file for mutant, _ in items}))
        queue = iter(items)
        threads = [threading.Thread(target=self.work, args=(queue,))
                   for _ in range(self.arguments.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def main():
    parser = argparse.ArgumentParser(prog="mutants.sh")
    parser.add_argument("--srcdir", default=".")
    parser.add_argument("-b", dest="build", required=True)
    parser.add_argument("--sanitized", default="")
    parser.add_argument("-n", dest="count", type=int, default=0)
    parser.add_argument("-s", dest="seed", type=int, default=1)
    parser.add_argument("-j", dest="jobs", type=int, default=1)
    parser.add_argument("-t", dest="tests", default="")
    parser.add_argument("-a", dest="again", default="")
    parser.add_argument("-e", dest="edits", action="append", default=[])
    parser.add_argument("-l", dest="list", action="store_true")
    parser.add_argument("-v", dest="verbose", action="store_true")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    srcdir = os.path.abspath(arguments.srcdir)
    if arguments.edits:
        items = [edited(srcdir, file, edit)
                 for file in arguments.files for edit in arguments.edits]
    else:
        items = list(mutants_of(srcdir, arguments.files))
    if arguments.again:
        wanted = survivors_of(arguments.again)
        items = [item for item in items
                 if item[1].text(item[0].file) in wanted]
    if arguments.count > 0:
        chosen = random.Random(arguments.seed).sample(
            range(len(items)), min(arguments.count, len(items)))
        items = [items[i] for i in sorted(chosen)]
    if arguments.list:
        for item in items:
            print(label_of(*item))
        return 0
    equivalent = read_equivalent(
        os.path.join(srcdir, "tools/maintainer/mutants-equivalent"))
    settings = [Setting(srcdir, arguments.build, "")]
    if arguments.sanitized:
        settings.append(Setting(srcdir, arguments.sanitized, "sanitized "))
    runner = Runner(settings, arguments, equivalent)
    runner.run(items)
    runner.report.show()
    if runner.done < len(items):
        print(f"mutants: only {runner.done} of {len(items)} were tried")
        return 99
    return 1 if runner.report.survivors else 0


if __name__ == "__main__":
    sys.exit(main())
