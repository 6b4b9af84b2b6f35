#!/usr/bin/env python3
# in_browser.py CHROMIUM PAGE STEPS [WIDTH]: run the file STEPS of JavaScript in
# the page, in a browser without a window, and print what it tells.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The page is in a frame of WIDTH pixels.  STEPS has `page', its window, and
# calls told (NAME, VALUE); what it cannot find, or an error in the page, ends it
# with the line that says so.

import html
import re
import subprocess
import sys
import tempfile

FRAME = """<!DOCTYPE html>
<meta charset="utf-8">
<pre id="told"></pre>
<iframe id="frame" style="border: 0; width: %dpx; height: 700px" srcdoc="%s"></iframe>
<script>
const out = document.getElementById ('told'), frame = document.getElementById ('frame');
const told = (name, value) => { out.textContent += name + ': ' + value + '\\n'; };
window.onerror = message => told ('error', message);
frame.onload = () => {
  const page = frame.contentWindow;
  page.onerror = message => told ('error in the page', message);
  try { (page => { %s }) (page); told ('end', 'reached'); }
  catch (error) { told ('error', error); }
};
</script>
"""


def main():
    chromium, page, steps = sys.argv[1:4]
    width = int(sys.argv[4]) if sys.argv[4:] else 1000
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(steps, encoding="utf-8") as file:
        script = file.read()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/frame.html"
        with open(path, "w", encoding="utf-8") as file:
            file.write(FRAME % (width, html.escape(text), script))
        done = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run",
             "--user-data-dir=" + folder + "/profile",
             "--window-size=1500,900", "--virtual-time-budget=4000",
             "--dump-dom", "file://" + path],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, check=False, timeout=100)
    found = re.search(r'<pre id="told">(.*?)</pre>',
                      done.stdout.decode(errors="replace"), re.DOTALL)
    if not found:
        sys.exit(done.stderr.decode(errors="replace")[-2000:]
                 or "the browser shows nothing")
    print(html.unescape(found.group(1)), end="")


if __name__ == "__main__":
    main()
