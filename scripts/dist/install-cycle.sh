#!/bin/sh
# Installs, upgrades, removes, reinstalls and purges a package of the player in a temporary copy of this machine's root,
# and checks the result of each step. Run by install-cycle.ts as root in its own mount namespace:
#   install-cycle.sh WORK OLD.deb NEW.deb PACKAGE
# Prints the problems, one sentence per line; prints nothing when there are none.
set -eu
work=$1 old=$2 new=$3 package=$4
root=$work/root
mkdir -p "$root" "$work/layer"
mount -t tmpfs none "$work/layer"
mkdir "$work/layer/upper" "$work/layer/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/layer/upper,workdir=$work/layer/work" "$root"
mount -t proc none "$root/proc"
mount --bind /dev "$root/dev"
# As on a new system: nothing else is in it.
rm -rf "$root"/opt/*
mkdir -p "$root/packages"
cp "$old" "$root/packages/old.deb"
cp "$new" "$root/packages/new.deb"

# With the PATH of a system: the folders of the caller's PATH may not be readable for users in the copy.
in_root() { chroot "$root" /usr/bin/env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
# Dependencies are not installed here: only dpkg and the maintainer scripts are tested.
mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
echo force-depends >"$root/etc/dpkg/dpkg.cfg.d/placard-check"
dpkg_in_root() { in_root dpkg "$@" >"$work/dpkg.log" 2>&1 || { report_problem "dpkg $*:"; cat "$work/dpkg.log"; }; }
report_problem() { echo "$*"; }
expect_stat() { [ "$(in_root stat -c "$2" "$1" 2>&1)" = "$3" ] || report_problem "$stage: $1 is $(in_root stat -c "$2" "$1" 2>&1), not $3"; }
expect_absent() { [ ! -e "$root$1" ] && [ ! -L "$root$1" ] || report_problem "$stage: $1 is still there"; }
expect_enabled() {
  for unit in placard.service placard-update.service placard-update.path; do
    [ -L "$root/etc/systemd/system/multi-user.target.wants/$unit" ] || report_problem "$stage: $unit is not enabled"
  done
}
expect_installed() {
  [ "$(in_root dpkg-query -W -f '${db:Status-Status} ${Version}' "$package")" = "installed $1" ] || report_problem "$stage: $package $1 is not installed"
  expect_stat /var/lib/placard '%U %G %a' 'placard placard 700'
  expect_stat /var/lib/placard-update '%U %a' 'root 755'
  expect_stat /var/lib/placard-update/inbox '%U %a' 'placard 700'
  [ -x "$root$(in_root readlink -f /usr/bin/placard-player)" ] || report_problem "$stage: /usr/bin/placard-player is missing or not executable"
}
version() { dpkg-deb -f "$1" Version; }

stage='after the installation'
dpkg_in_root -i /packages/old.deb
expect_installed "$(version "$old")"
expect_enabled
for group in video render input audio; do
  in_root id -nG placard | grep -qw "$group" || ! in_root getent group "$group" >/dev/null || report_problem "$stage: not in group $group"
done
[ "$(in_root getent passwd placard | cut -d : -f 7)" = /usr/sbin/nologin ] || report_problem "$stage: the user can log in"
in_root /usr/lib/placard/placard-update run || report_problem "$stage: the update helper failed"

# The program is a stub in the package with Electron, and real in the other one.
if [ "$package" = placard-chromium ]; then
  in_root runuser -u placard -- placard-player --help >"$work/help.log" 2>&1 || true
  grep -q -e --server "$work/help.log" || report_problem "$stage: placard-player --help printed: $(cat "$work/help.log")"
fi

stage='after an upgrade'
echo kept >"$root/var/lib/placard/identity.json"
dpkg_in_root -i /packages/new.deb
expect_installed "$(version "$new")"
expect_enabled
[ "$(cat "$root/var/lib/placard/identity.json")" = kept ] || report_problem "$stage: the identity is lost"

stage='after an upgrade of a disabled player'
rm "$root/etc/systemd/system/multi-user.target.wants/placard.service"
dpkg_in_root -i /packages/new.deb
expect_absent /etc/systemd/system/multi-user.target.wants/placard.service

# The same with the update helper, which rebuilds the old package from the files on disk, installs and rolls back.
stage='after an update by the helper'
helper() { in_root env PLACARD_UPDATE_SYSTEMCTL=true /usr/lib/placard/placard-update "$1" >"$work/helper.log" 2>&1 || { report_problem "$stage: placard-update $1:"; cat "$work/helper.log"; }; }
dpkg_in_root -i /packages/old.deb
openssl genpkey -algorithm ed25519 -out "$work/key"
openssl pkey -in "$work/key" -pubout -out "$root/usr/lib/placard/update-key.pem"
inbox=$root/var/lib/placard-update/inbox
cp "$new" "$inbox/package"
printf '%s\n' placard-release=1 "package=$package" "version=$(version "$new")" "arch=$(dpkg-deb -f "$new" Architecture)" \
  "size=$(stat -c %s "$new")" "sha512=$(sha512sum "$new" | cut -d ' ' -f 1)" >"$inbox/manifest"
openssl pkeyutl -sign -inkey "$work/key" -rawin -in "$inbox/manifest" -out "$inbox/manifest.sig"
touch "$inbox/request"
helper run
expect_installed "$(version "$new")"
grep -qx phase=trial "$root/var/lib/placard-update/state" || report_problem "$stage: not on trial: $(cat "$work/helper.log")"
stage='after four starts without health'
for start in 1 2 3 4; do helper starting; done
helper run
expect_installed "$(version "$old")"
grep -qx outcome=rolled_back "$root/var/lib/placard-update/state" || report_problem "$stage: not rolled back: $(cat "$work/helper.log")"
[ "$(cat "$root/var/lib/placard/identity.json")" = kept ] || report_problem "$stage: the identity is lost"
expect_absent /etc/systemd/system/multi-user.target.wants/placard.service

stage='after a downgrade by hand'
dpkg_in_root -i /packages/new.deb
dpkg_in_root --force-downgrade -i /packages/old.deb
expect_installed "$(version "$old")"
[ "$(cat "$root/var/lib/placard/identity.json")" = kept ] || report_problem "$stage: the identity is lost"

# A package that stands in for Chromium; no browser runs here.
stage='after an upgrade of the browser'
if [ "$package" = placard-chromium ]; then
  mkdir -p "$work/browser/DEBIAN" "$work/browser/usr/lib/chromium"
  printf '%s\n' 'Package: browser-stand-in' 'Version: 2' 'Architecture: all' 'Maintainer: nobody <nobody@placard.example>' \
    'Description: stand-in for the browser' >"$work/browser/DEBIAN/control"
  touch "$work/browser/usr/lib/chromium/placard-check"
  dpkg-deb --build --root-owner-group "$work/browser" "$root/packages/browser.deb" >/dev/null
  # A stand-in for systemd, which does not run here.
  mkdir -p "$root/run/systemd/system"
  mv "$root/usr/bin/systemctl" "$root/usr/bin/systemctl.real"
  printf '#!/bin/sh\necho "$*" >>/packages/systemctl-calls\n' >"$root/usr/bin/systemctl"
  chmod 755 "$root/usr/bin/systemctl"
  # dpkg delays triggers while dependencies are missing.
  sed -i "/^Package: $package\$/,/^\$/ { /^Depends:/d }" "$root/var/lib/dpkg/status"
  dpkg_in_root -i /packages/browser.deb
  mv "$root/usr/bin/systemctl.real" "$root/usr/bin/systemctl"
  rmdir "$root/run/systemd/system"
  grep -qx -e '--no-block try-restart placard.service' "$root/packages/systemctl-calls" || report_problem "$stage: the player was not restarted"
  dpkg_in_root -P browser-stand-in
fi

stage='after the removal'
dpkg_in_root -r "$package"
expect_absent /usr/lib/placard/placard-update
expect_absent /usr/lib/systemd/system/placard.service
expect_absent /usr/bin/placard-player
[ -e "$root/var/lib/placard/identity.json" ] || report_problem "$stage: the identity is lost, though nothing was purged"

stage='after another installation'
dpkg_in_root -i /packages/new.deb
expect_installed "$(version "$new")"

stage='after the purge'
echo '{}' >"$root/etc/placard/config.json"
dpkg_in_root -P "$package"
expect_absent /var/lib/placard
expect_absent /var/lib/placard-update
expect_absent /etc/systemd/system/multi-user.target.wants/placard-update.path
expect_absent /etc/placard
expect_stat /opt '%U %G %a' 'root root 755'
! in_root getent passwd placard >/dev/null || report_problem "$stage: the user is still there"
! in_root getent group placard >/dev/null || report_problem "$stage: the group is still there"
