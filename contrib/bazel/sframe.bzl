"""Bazel: SFrame stack-trace data for a linked program or shared library.

SPDX-License-Identifier: LGPL-2.1-or-later

    load("//tools:sframe.bzl", "sframe_binary")
    cc_binary(name = "hello_plain", srcs = ["hello.c"])
    sframe_binary(name = "hello", src = ":hello_plain")

src is a target with one file: a cc_binary, also one with linkshared, or what a
genrule makes.

The action is pure (same input, same output), so it may run remotely and be
cached.  A program that cannot be converted (32-bit, another machine) is copied
as it is, with a note; options = ["--skip-unconvertible=no"] makes it an error.
config is a file of settings, in place of /etc/cfi2sframe.conf.
cfi2sframe is taken from a target or a file, by default
@cfi2sframe//:cfi2sframe.
"""

def _sframe_binary_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name)
    args = ctx.actions.args()
    args.add("--hook")
    args.add_all(ctx.attr.options)
    args.add("-o", out)
    args.add("--", ctx.file.src)

    ctx.actions.run(
        executable = ctx.executable.cfi2sframe,
        inputs = [ctx.file.src] + ctx.files.config,
        outputs = [out],
        env = {"CFI2SFRAME_CONFIG": "".join([f.path for f in ctx.files.config])},
        arguments = [args],
        mnemonic = "Cfi2sframe",
        progress_message = "Adding SFrame data to %{label}",
    )
    return [DefaultInfo(
        files = depset([out]),
        executable = out,
        runfiles = ctx.attr.src[DefaultInfo].default_runfiles,
    )]

sframe_binary = rule(
    implementation = _sframe_binary_impl,
    executable = True,
    attrs = {
        "src": attr.label(mandatory = True, allow_single_file = True),
        "options": attr.string_list(),
        "config": attr.label(allow_single_file = True),
        "cfi2sframe": attr.label(
            default = "@cfi2sframe//:cfi2sframe",
            allow_single_file = True,
            executable = True,
            cfg = "exec",
        ),
    },
)
