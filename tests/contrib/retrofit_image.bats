#!/usr/bin/env bats
# sframe-retrofit-image on images made here: layers, digests, attributes.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2086 # several options are one text

load ../cli/helpers
load programs

retrofit ()
{
  capture program \
    "$srcdir/contrib/retrofit/sframe-retrofit-image" "$@"
}

# The layout `image' with two layers.  The lower one: hello (static), a second
# name of it, set-id and somebody's; gone, replaced, both programs.  The upper
# one: without gone, and replaced is text.
new_image ()
{
  mkdir -p files/bin files/etc
  # musl's has a twentieth of the bytes of glibc's, which each test packs anew.
  CC=$(command -v musl-gcc || echo "${CC:-cc}") \
    small_program files/bin/hello -static || skip "no static libc"
  cp files/bin/hello files/bin/gone
  cp files/bin/hello files/bin/replaced
  ln files/bin/hello files/bin/hello-too
  ln -s hello files/bin/hello-link
  chown 1000:1001 files/bin/hello
  chmod 4755 files/bin/hello
  setcap cap_net_raw=ep files/bin/replaced || true
  cp files/bin/hello files/bin/caps
  setcap cap_net_raw=ep files/bin/caps || true
  touch -d 2020-02-02 files/bin/hello
  umoci init --layout image
  umoci new --image image:first
  umoci insert --image image:first files /
  umoci unpack --image image:first bundle
  rm bundle/rootfs/bin/gone
  echo text >bundle/rootfs/bin/replaced
  umoci repack --image image:latest bundle
  umoci rm --image image:first
  umoci gc --layout image
  rm -rf bundle files
  # Docker's members that OCI does not have.
  change_config image '.config.Healthcheck = {"Test": ["CMD", "/bin/hello"]}'
}

# That layout here; made once for all tests.
make_image ()
{
  needs umoci skopeo python3 jq
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  once new_image
}

blob ()
{
  echo "$1/blobs/sha256/${2#sha256:}"
}

manifest_of ()
{
  blob "$1" "$(jq -r '.manifests[0].digest' "$1/index.json")"
}

config_of ()
{
  blob "$1" "$(jq -r .config.digest "$(manifest_of "$1")")"
}

# Let file FROM be the blob of its contents; prints digest and size as JSON.
add_blob ()
{
  local digest
  digest=$(sha256sum <"$2" | cut -d ' ' -f 1)
  cp "$2" "$1/blobs/sha256/$digest"
  echo "{\"digest\": \"sha256:$digest\", \"size\": $(stat -c %s "$2")}"
}

change_config ()
{
  jq -c "$2" "$(config_of "$1")" >config
  jq -c ".config += $(add_blob "$1" config)" "$(manifest_of "$1")" >manifest
  jq -c ".manifests[0] += $(add_blob "$1" manifest)" "$1/index.json" >index
  cp index "$1/index.json"
  umoci gc --layout "$1"
}

# Every file that can be seen in IMAGE, with its attributes.
listing ()
{
  rm -rf seen
  umoci unpack --image "$1" seen
  (cd seen/rootfs && find . ! -type d -printf '%p %M %U %G %n %l %TY-%Tm-%Td\n' \
     | sort; getcap -r . 2>/dev/null | sort)
}

@test "converted files are one more layer; everything else stays" {
  make_image
  listing image:latest >before
  gives 0 retrofit -v -o new image
  [[ $output == *"2 ELF files converted"* ]] || report
  [ -z "$stderr" ] || report
  listing new:latest | diff before -
  has_sframe seen/rootfs/bin/hello
  has_sframe seen/rootfs/bin/caps
  [ seen/rootfs/bin/hello -ef seen/rootfs/bin/hello-too ]
  [ ! -e seen/rootfs/bin/gone ]
  [ "$(cat seen/rootfs/bin/replaced)" = text ]
  [ "$(chroot seen/rootfs /bin/hello)" = "$(seen/rootfs/bin/hello)" ]

  # The layers that were there, and one.
  jq -c '.layers[]' "$(manifest_of image)" >old.layers
  jq -c '.layers[]' "$(manifest_of new)" >new.layers
  [ "$(wc -l <old.layers)" -eq 2 ]
  head -n 2 new.layers | diff old.layers -
  [ "$(wc -l <new.layers)" -eq 3 ]
  # Its files, and nothing else.
  gzip -dc "$(blob new "$(sed -n '3s/.*"\(sha256:[0-9a-f]*\)".*/\1/p' new.layers)")" \
    >layer.tar
  [ "$(tar tf layer.tar)" = "bin/caps
bin/hello
bin/hello-too" ]
  # The configuration: a digest, and a line of history.
  [ "$(jq -r '.rootfs.diff_ids[2]' "$(config_of new)")" \
    = "sha256:$(sha256sum <layer.tar | cut -d ' ' -f 1)" ]
  diff <(jq 'del (.rootfs.diff_ids[2], .history[-1])' "$(config_of new)") \
    <(jq . "$(config_of image)")
  [ "$(jq -r '.history[-1].created_by' "$(config_of new)")" = sframe-retrofit-image ]
  # Every digest and size is right, and no blob is left over.
  skopeo copy -q oci:new:latest oci:copy:latest
  before=$(find new -type f | sort)
  umoci gc --layout new
  [ "$(find new -type f | sort)" = "$before" ]
}

@test "archives of docker save" {
  make_image
  skopeo copy -q oci:image:latest docker-archive:old.tar:name:tag
  gives 0 retrofit -o new.tar old.tar
  silent
  [ "$(tar xOf new.tar manifest.json | jq -r '.[0].RepoTags[0]')" = docker.io/library/name:tag ]
  [ "$(tar xOf new.tar manifest.json | jq '.[0].Layers | length')" -eq 3 ]
  skopeo copy -q docker-archive:new.tar oci:new:latest
  listing image:latest >before
  listing new:latest | diff before -
  has_sframe seen/rootfs/bin/hello
}

# Docker, up to version 24, saves a layer that is there already as a link.
@test "archives with layers that are symbolic links" {
  make_image
  skopeo copy -q oci:image:latest docker-archive:made.tar:name:tag
  mkdir saved
  tar xf made.tar -C saved
  find saved -type l -name layer.tar -printf '%l %P\n' >links
  [ "$(wc -l <links)" -eq 2 ]
  # The list names the links; one leads to another folder's layer.tar.
  local target name one=
  while read -r target name; do
    sed -i "s|${target#../}|$name|" saved/manifest.json
    [ "$one" ] || { mv -f "saved/${target#../}" "saved/$name" && one=$name; }
  done <links
  mkdir "saved/${one%/*}0"
  cp "saved/${one%/*}/json" "saved/${one%/*}0/"
  ln -s "../$one" "saved/${one%/*}0/layer.tar"
  sed -i "s|${one%/*}/|${one%/*}0/|" saved/manifest.json
  (cd saved && find . -type f -printf '%P\n' -o -type l -printf '%P\n' | sort >../names)
  tar cf old.tar -C saved -T names
  gives 0 retrofit -v -o new.tar old.tar
  [[ $output == *"2 ELF files converted"* ]] || report
  [ "$(tar xOf new.tar manifest.json | jq '.[0].Layers | length')" -eq 3 ]
  [ "$(tar tvf new.tar | grep -c "layer.tar -> ")" -eq 2 ]
  # skopeo wants plain files.
  mkdir plain
  tar xf new.tar -C plain
  for name in $(jq -r '.[0].Layers[]' plain/manifest.json); do
    [ ! -L "plain/$name" ] || cp --remove-destination "$(readlink -f "plain/$name")" "plain/$name"
  done
  tar cf plain.tar -C plain $(cd plain && ls)
  skopeo copy -q docker-archive:plain.tar oci:new:latest
  listing image:latest >before
  listing new:latest | diff before -
  has_sframe seen/rootfs/bin/hello
}

@test "names that are not UTF-8, or have line ends of other kinds" {
  make_image
  umoci unpack --image image:latest bundle
  local names=($'invalid\xff' $'line\u2028end' $'new\nline' $'next\xc2\x85line')
  local name
  for name in "${names[@]}"; do
    cp bundle/rootfs/bin/hello "bundle/rootfs/bin/$name"
  done
  cp bundle/rootfs/bin/replaced $'bundle/rootfs/bin/text\xfe'
  umoci repack --image image:latest bundle
  rm -rf bundle
  listing image:latest >before
  gives 0 retrofit --list image
  [ "${#lines[@]}" -eq 6 ] || report
  gives 0 retrofit -v -o new image
  [[ $output == *"6 ELF files converted"* ]] || report
  listing new:latest | diff before -
  for name in "${names[@]}" hello hello-too; do
    has_sframe "seen/rootfs/bin/$name"
  done
}

@test "archives that are a layout, too, as newer versions of Docker make them" {
  make_image
  config=blobs/sha256/$(basename "$(config_of image)")
  jq -c "[{Config: \"$config\", RepoTags: [\"name:tag\"], Layers: [.layers[].digest | sub (\"sha256:\"; \"blobs/sha256/\")]}]" \
    "$(manifest_of image)" >image/manifest.json
  tar cf old.tar -C image .
  gives 0 retrofit -o new.tar old.tar
  skopeo copy -q docker-archive:new.tar oci:one:latest
  skopeo copy -q oci-archive:new.tar oci:two:latest
  listing image:latest >before
  for name in one two; do
    listing $name:latest | diff before -
    has_sframe seen/rootfs/bin/hello
  done
}

@test "images for several machines, and what tells of an image" {
  make_image
  digest=$(jq -r '.manifests[0].digest' image/index.json)
  jq -c "{schemaVersion: 2, mediaType: \"application/vnd.oci.image.index.v1+json\", manifests: [
      (.manifests[0] | del (.annotations) | .platform = {architecture: \"amd64\", os: \"linux\"}),
      (.manifests[0] | .annotations = {\"vnd.docker.reference.digest\": \"$digest\"} | .platform = {architecture: \"unknown\", os: \"unknown\"})]}" \
    image/index.json >list
  # An attestation: a manifest without layers of files.
  echo '{"schemaVersion":2,"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:0","size":1},"layers":[{"mediaType":"application/vnd.in-toto+json","digest":"sha256:0","size":1}]}' >note
  jq -c ".manifests[1] += $(add_blob image note)" list >list2
  jq -c "{schemaVersion: 2, manifests: [({mediaType: \"application/vnd.oci.image.index.v1+json\", annotations: {\"org.opencontainers.image.ref.name\": \"latest\"}} + $(add_blob image list2))]}" \
    image/index.json >index
  cp index image/index.json
  gives 0 retrofit -o new image
  list=$(blob new "$(jq -r '.manifests[0].digest' new/index.json)")
  new=$(jq -r '.manifests[0].digest' "$list")
  [ "$new" != "$digest" ]
  [ "$(jq '.layers | length' "$(blob new "$new")")" -eq 3 ]
  [ "$(jq -r '.manifests[1].annotations[]' "$list")" = "$new" ]
  cmp "$(blob new "$(jq -r '.manifests[1].digest' "$list")")" note
}

# As docker save and ctr make them of one machine's image.
@test "an index may name images that are not here, or not all of them" {
  local one none='"sha256:'$(printf %064d 7)'"' half
  make_image
  one=$(jq -c '.manifests[0] | del (.annotations)' image/index.json)
  # The lower layer is that of the other image, too; its upper one is missing.
  jq -c ".layers[1].digest = $none" "$(manifest_of image)" >half
  half=$(add_blob image half)
  jq -c "{schemaVersion: 2, mediaType: \"application/vnd.oci.image.index.v1+json\", manifests: [
      ($one | .digest = $none | .platform = {architecture: \"arm64\", os: \"linux\"}),
      ($one | .platform = {architecture: \"amd64\", os: \"linux\"}),
      ($one + $half | .platform = {architecture: \"s390x\", os: \"linux\"})]}" \
    image/index.json >list
  jq -c ".manifests[0] += $(add_blob image list) | .manifests[0].mediaType = \"application/vnd.oci.image.index.v1+json\"" \
    image/index.json >index
  cp index image/index.json
  for option in -v --squash; do
    rm -rf new
    gives 0 retrofit -o new $option image
    [ "$stderr" = "sframe-retrofit-image: image: note: left as they are, for they are not here: 2 images" ] \
      || report
    list=$(blob new "$(jq -r '.manifests[0].digest' new/index.json)")
    jq -c '[.manifests[0, 2]]' list >before
    jq -c '[.manifests[0, 2]]' "$list" | cmp before -
    [ "$(jq '.manifests[1].digest' "$list")" != "$(jq .digest <<<"$one")" ]
    [ -e "$(blob new "$(jq -r '.layers[0].digest' half)")" ]
    skopeo copy -q --override-arch amd64 oci:new:latest oci:alone:latest
    listing alone:latest >/dev/null
    has_sframe seen/rootfs/bin/hello
    rm -rf alone
  done
  # Of an image, nothing at all: that is damage.
  rm "$(blob image "$(jq -r .digest <<<"$one")")"
  gives 1 retrofit -o other image
  [[ $stderr == "sframe-retrofit-image: image: blob sha256:"*" is missing" ]] || report
}

@test "folders with a colon, folders that are read only, full disks" {
  make_image
  mkdir a:b
  gives 0 retrofit -o a:b/new image
  gives 0 retrofit -o new image
  diff -r new a:b/new
  # As somebody who may not write there, in /tmp, where everybody may look.
  other=$(mktemp -d /tmp/cfi2sframe-test.XXXXXX)
  cp -r image "$srcdir/contrib/retrofit" "$other"
  cp "$CFI2SFRAME" "$other/cfi2sframe"
  mkdir "$other/home"
  chmod -R a-w "$other/image"
  chmod 755 "$other"
  chown -R 65534:65534 "$other"
  gives 0 capture setpriv --reuid=65534 --regid=65534 --clear-groups \
    env TMPDIR="$other/home" CFI2SFRAME="$other/cfi2sframe" \
    /usr/bin/python3 "$other/retrofit/sframe-retrofit-image" --squash -o "$other/home/new" "$other/image"
  [ "$(jq length <"$(config_of "$other/home/new")")" -gt 0 ]
  rm -rf "$other"
  gives 1 capture bash -c 'ulimit -f 2; exec python3 "$@"' - \
    "$srcdir/contrib/retrofit/sframe-retrofit-image" -o other image
  [[ $stderr == "sframe-retrofit-image: image: "*": File too large" ]] || report
  [ "${#stderr_lines[@]}" -eq 1 ] || report
  [ ! -e other ]
}

@test "the same input gives the same output; a second time nothing is to do" {
  make_image
  retrofit -o one image
  sleep 1
  retrofit -o two image
  diff -r one two
  gives 0 retrofit -o three one
  diff -r one three
  skopeo copy -q oci:one:latest docker-archive:one.tar:name:tag
  retrofit -v -o two.tar one.tar
  [[ $output == *"nothing to convert"* ]] || report
  cmp one.tar two.tar
}

@test "--list writes nothing; options are passed on" {
  make_image
  retrofit --list image
  [ "$output" = "/bin/caps
/bin/hello" ] || report
  [ "$(ls)" = "$(printf '%s\n' config image index manifest small.c)" ]
  retrofit -o new image -- --format=2
  listing new:latest
  [ "$(version_of seen/rootfs/bin/hello)" = 2 ]
}

@test "the image runs" {
  make_image
  retrofit -o new image
  umoci unpack --image new:latest bundle
  jq '.process.args = ["/bin/hello"] | .process.terminal = false' \
    bundle/config.json >config.json
  cp config.json bundle/config.json
  local program ran=
  for program in runc crun; do
    command -v $program || continue
    capture $program run --bundle bundle "sframe-test-$$"
    [ "$status" -eq 0 ] || continue
    [ "$output" = "$(bundle/rootfs/bin/hello)" ] || report
    ran=yes
  done
  [ "$ran" ] || skip "no program that may make containers here"
}

@test "what is not an image, or damaged, is refused" {
  make_image
  echo text >text
  tar cf empty.tar text
  cp -r image blob && rm "$(ls -S blob/blobs/sha256/* | head -n 1)"
  cp -r image digest && echo >>"$(config_of digest)"
  mkdir outside && echo kept >outside/file
  cp -r image link && rm link/index.json && ln -s ../outside/file link/index.json
  cp -r image folder && mv folder/blobs/sha256 outside && ln -s "$PWD/outside/sha256" folder/blobs/sha256
  mkdir evil && ln -s "$PWD/outside" evil/away
  tar cf evil.tar -C image .
  tar rf evil.tar -C evil away
  tar rf evil.tar --transform 's,text,away/new,' text
  tar cf parent.tar --transform 's,text,../text,' -P text
  for image in text empty.tar evil.tar parent.tar blob digest link folder; do
    before=$(find outside | sort)
    gives 1 retrofit -o new $image
    [[ $stderr == "sframe-retrofit-image: $image: "* ]] || report
    [ "$(wc -l <<<"$stderr")" -eq 1 ] || report
    [ ! -e new ]
    [ "$(find outside | sort)" = "$before" ]
    [ -z "$(find . -name '.sframe-retrofit*')" ]
  done
  [ "$(cat outside/file)" = kept ]
  gives 2 retrofit image
  gives 2 retrofit -o image image
  # A new file would take the place of a device, or of /dev/stdout.
  mkfifo pipe
  gives 2 retrofit -o pipe empty.tar
  [ -p pipe ]
  # A link, even to a regular file, is not followed, and not replaced.
  ln -s text to-text
  cp text before
  gives 2 retrofit -o to-text empty.tar
  [[ $stderr == *": to-text exists and is not a regular file"* ]] || report
  [ -L to-text ]
  cmp text before
}

@test "an image that unpacks to gigabytes stays as it was, with a line" {
  make_image
  truncate -s 8M zeros
  umoci insert --image image:latest zeros /zeros
  gives 1 retrofit -o new --unpacked-max=7 image
  [ "$stderr" = "sframe-retrofit-image: image: unpacks to more than 7 MiB (see --unpacked-max)" ] || report
  [ ! -e new ]
  # The archive, whose layers are packed once more.
  tar -C image -cf image.tar . && head -c 8M /dev/zero >>image.tar && gzip image.tar
  before=$(ls -A)
  gives 1 retrofit -o new.tar --unpacked-max=7 image.tar.gz
  [[ $stderr == *"unpacks to more than 7 MiB (see --unpacked-max)" ]] || report
  [ "$(ls -A)" = "$before" ]
  gives 0 retrofit -o new --unpacked-max=64 image
}

# The digests and media types of the layers in a layout's only image.
layers_of ()
{
  jq -c '.layers[] | [.digest, .mediaType]' "$(manifest_of "$1")"
}

@test "--squash: the layers that have the files are rewritten, the others stay" {
  make_image
  # A layer on top, without an ELF file.
  mkdir text
  echo text >text/file
  umoci insert --image image:latest text /srv
  umoci gc --layout image
  listing image:latest >before
  cp -r image kept
  gives 0 retrofit --squash -v -o new image
  [[ $output == *": 4 files changed, +"*" KiB, in 1 of 3 layers" ]] || report
  [ -z "$stderr" ] || report
  diff -r image kept
  listing new:latest | diff before -
  has_sframe seen/rootfs/bin/hello
  has_sframe seen/rootfs/bin/caps
  [ seen/rootfs/bin/hello -ef seen/rootfs/bin/hello-too ]
  [ "$(cat seen/rootfs/bin/replaced)" = text ]
  [ "$(chroot seen/rootfs /bin/hello)" = "$(seen/rootfs/bin/hello)" ]
  # Two layers are the same files as before.
  layers_of image >old.layers
  layers_of new >new.layers
  [ "$(diff old.layers new.layers | grep -c '^>')" -eq 1 ]
  [ "$(head -n 1 old.layers)" != "$(head -n 1 new.layers)" ]
  # Every digest and size is right, and no blob is left over.
  jq -r '.rootfs.diff_ids[]' "$(config_of new)" | diff - <(
    jq -r '.layers[].digest' "$(manifest_of new)" | while read -r digest; do
      echo "sha256:$(gzip -dc "$(blob new "$digest")" | sha256sum | cut -d ' ' -f 1)"
    done)
  skopeo copy -q oci:new:latest oci:copy:latest
  before=$(find new -type f | sort)
  umoci gc --layout new
  [ "$(find new -type f | sort)" = "$before" ]
  # The same again; then nothing is to be done.
  sleep 1.1
  gives 0 retrofit --squash -o again image
  diff -r new again
  gives 0 retrofit --squash -o third new
  diff -r new third
  gives 0 retrofit --squash -n image
  [ "$output" = "/bin/caps
/bin/gone
/bin/hello
/bin/replaced" ] || report
}

# What a descriptor says of the bytes of its blob, as OCI 1.1 and those who make
# layers of which parts can be fetched want it.
@test "what descriptors say of blobs that are other ones now is not kept" {
  make_image
  local how said='{data: "e30=", urls: ["http://localhost.invalid/"], annotations: {"io.github.containers.zstd-chunked.manifest-position": "1:2:3:1"}}'
  jq -c ".config += $said | .layers[] += $said" "$(manifest_of image)" >manifest
  jq -c ".manifests[0] += ($said | .annotations[\"org.opencontainers.image.ref.name\"] = \"latest\") + $(add_blob image manifest)" \
    image/index.json >index
  cp index image/index.json
  for how in "" --squash; do
    gives 0 retrofit $how -o new$how image
    jq -c '[.manifests[0], .config, .layers[]?] | map (select (.)) | .[] |
           [(.data, .urls, .annotations) != null]' \
      new$how/index.json "$(manifest_of new$how)" >said$how
  done
  # An image and a configuration that changed, with annotations of their own;
  # then the layers.
  diff - said <<'END'
[false,false,true]
[false,false,true]
[true,true,true]
[true,true,true]
[false,false,false]
END
  diff - said--squash <<'END'
[false,false,true]
[false,false,true]
[false,false,false]
[true,true,true]
END
}

@test "--squash: archives of docker save, and two images with one layer" {
  make_image
  skopeo copy -q oci:image:latest docker-archive:old.tar:name:tag
  gives 0 retrofit --squash -o new.tar old.tar
  silent
  [ "$(tar xOf new.tar manifest.json | jq '.[0].Layers | length')" -eq 2 ]
  # No file is there that was before and is of no use now.
  [ "$(tar tf new.tar | grep -c '^[0-9a-f]*\.tar$')" -eq 2 ]
  skopeo copy -q docker-archive:new.tar oci:new:latest
  listing image:latest >before
  listing new:latest | diff before -
  has_sframe seen/rootfs/bin/hello
  # Root is not needed, nor are owners.
  umoci tag --image image:latest other
  gives 0 setpriv --reuid=1000 --regid=1000 --clear-groups true
  gives 0 retrofit --squash -o two image
  [ "$(jq '[.manifests[].digest] | unique | length' two/index.json)" -eq 1 ]
}

# An image, and one with a layer more and its own configuration.
@test "a layer that several images have is converted once" {
  make_image
  mkdir more
  small_program more/other
  umoci tag --image image:latest more
  umoci insert --image image:more more /srv
  umoci tag --image image:latest config
  umoci config --image image:config --config.env A=B
  umoci gc --layout image
  printf '#!/bin/sh\necho >>%q\nexec %q "$@"\n' "$PWD/calls" "$CFI2SFRAME" >spy
  chmod +x spy
  # As docker save makes it of three.
  local how form name
  mkdir all
  for name in latest more config; do
    listing image:$name >before-$name
    skopeo copy -q oci:image:$name docker-archive:$name.tar:name:$name
    tar xf $name.tar -C all
    mv all/manifest.json manifest-$name
  done
  jq -sc add manifest-* >all/manifest.json
  tar cf image.tar -C all .
  for how in "" --squash; do
    for form in "" .tar; do
      : >calls
      gives 0 retrofit $how --cfi2sframe="$PWD/spy" -o new$how$form image$form
      # Two stacks of layers; or the layers with programs.
      [ "$(wc -l <calls)" -eq 2 ] || report
      for name in more config; do
        if [ "$form" ]; then
          skopeo copy -q docker-archive:new$how.tar:name:$name oci:got:$name
        else
          skopeo copy -q oci:new$how:$name oci:got:$name
        fi
        listing got:$name | diff before-$name -
        has_sframe seen/rootfs/bin/hello
        [ $name != more ] || has_sframe seen/rootfs/srv/other
      done
      rm -r got
    done
  done
}

# The second of two images with the same layers.
@test "a configuration that is wrong about layers that are converted already is refused" {
  make_image
  local wrong
  cp -r image right
  for wrong in '.rootfs.diff_ids[0] |= sub (".$"; "x")' 'del (.rootfs)'; do
    rm -rf image
    cp -r right image
    jq -c "$wrong" "$(config_of image)" >config
    jq -c ".config += $(add_blob image config)" "$(manifest_of image)" >manifest
    jq -c ".manifests += [.manifests[0] + $(add_blob image manifest)]" \
      image/index.json >index
    cp index image/index.json
    gives 1 retrofit -o new image
    [[ ${#stderr_lines[@]} -eq 1 && $stderr == "sframe-retrofit-image: image: "* ]] \
      || report
  done
}

@test "--squash: what something else names stays" {
  make_image
  # A manifest that is not an image's, with the image's configuration and layers.
  jq -c '.layers += [{"mediaType": "text/plain", "digest": "sha256:0", "size": 1}]' \
    "$(manifest_of image)" >note
  jq -c ".manifests += [.manifests[0] + $(add_blob image note)]" \
    image/index.json >index
  cp index image/index.json
  gives 0 retrofit --squash -o new image
  cmp note "$(blob new "$(jq -r '.manifests[1].digest' new/index.json)")"
  for digest in $(jq -r '.config.digest, .layers[:-1][].digest' note); do
    cmp "$(blob image $digest)" "$(blob new $digest)"
  done
  # Two entries with one configuration.
  skopeo copy -q oci:image:latest docker-archive:old.tar:name:tag
  mkdir old && tar xf old.tar -C old
  jq -c '. + .' old/manifest.json >two
  cp two old/manifest.json
  tar cf two.tar -C old $(ls old)
  gives 0 retrofit --squash -o new.tar two.tar
  [ "$(tar xOf new.tar manifest.json | jq 'unique | length')" -eq 1 ]
  [ "$(tar tf new.tar | grep -c '^[0-9a-f]*\.json$')" -eq 1 ]
}

# What dpkg --verify goes by, and what a checksum (FIPS 140) is of.
@test "--squash: dpkg's digests follow, checksums in other layers count" {
  make_image
  umoci unpack --image image:latest bundle
  local sum
  sum=$(md5sum <bundle/rootfs/bin/hello | cut -d ' ' -f 1)
  mkdir -p bundle/rootfs/var/lib/dpkg/info
  printf '%s\n' "$sum  bin/hello" "$sum  usr/bin/hello-too" \
    "0123456789abcdef0123456789abcdef  bin/caps" \
    >bundle/rootfs/var/lib/dpkg/info/hello.md5sums
  umoci repack --image image:latest bundle
  gives 0 retrofit --squash -v -o new image
  [[ $output == *" in 2 of 3 layers" ]] || report
  listing new:latest >/dev/null
  sum=$(md5sum <seen/rootfs/bin/hello | cut -d ' ' -f 1)
  diff - seen/rootfs/var/lib/dpkg/info/hello.md5sums <<END
$sum  bin/hello
$sum  usr/bin/hello-too
0123456789abcdef0123456789abcdef  bin/caps
END
  # A checksum in a layer above.
  rm -rf bundle
  umoci unpack --image image:latest bundle
  echo 00 >bundle/rootfs/bin/.caps.hmac
  umoci repack --image image:latest bundle
  gives 0 retrofit --squash -o fips image
  listing fips:latest >/dev/null
  has_sframe seen/rootfs/bin/hello
  run ! has_sframe seen/rootfs/bin/caps
}

@test "--squash: files with a signature of their own stay as they are" {
  make_image
  umoci unpack --image image:latest bundle
  python3 - <<'END'
import tarfile
with tarfile.open("signed.tar", "w", format=tarfile.PAX_FORMAT) as archive:
    for name, value in (("bin/signed", "x"), ("bin/unsigned", None)):
        member = archive.gettarinfo("bundle/rootfs/bin/hello", name)
        member.type, member.linkname = tarfile.REGTYPE, ""
        member.pax_headers = {"SCHILY.xattr.security.ima": value} \
            if value else {}
        with open("bundle/rootfs/bin/hello", "rb") as file:
            member.size = len(file.read())
            file.seek(0)
            archive.addfile(member, file)
END
  umoci raw add-layer --image image:latest signed.tar
  gives 0 retrofit --squash -v -o new image
  [[ $output == *" in 2 of 3 layers" ]] || report
  gzip -dc "$(blob new "$(jq -r '.layers[2].digest' "$(manifest_of new)")")" \
    | tar xf - bin/signed bin/unsigned 2>/dev/null || true
  has_sframe bin/unsigned
  run ! has_sframe bin/signed
}
