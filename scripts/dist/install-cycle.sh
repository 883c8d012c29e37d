#!/bin/sh
# Installs, upgrades, removes, installs anew and purges a package of the player in a throw-away copy of this machine's
# root, and looks at what each leaves. Run by install-cycle.ts as root in a mount namespace of its own:
#   install-cycle.sh WORK OLD.deb NEW.deb PACKAGE
# Prints what is wrong, one sentence a line; nothing when all is well.
set -eu
work=$1 old=$2 new=$3 package=$4
root=$work/root
mkdir -p "$root" "$work/layer"
mount -t tmpfs none "$work/layer"
mkdir "$work/layer/upper" "$work/layer/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/layer/upper,workdir=$work/layer/work" "$root"
mount -t proc none "$root/proc"
mount --bind /dev "$root/dev"
mkdir -p "$root/packages"
cp "$old" "$root/packages/old.deb"
cp "$new" "$root/packages/new.deb"

inside() { chroot "$root" "$@"; }
# What the player needs to show pictures need not be here; that dpkg and the scripts work is what is looked at.
dpkg_inside() { inside dpkg --force-depends "$@" >"$work/dpkg.log" 2>&1 || { wrong "dpkg $*:"; cat "$work/dpkg.log"; }; }
wrong() { echo "$*"; }
is() { [ "$(inside stat -c "$2" "$1" 2>&1)" = "$3" ] || wrong "$when: $1 is $(inside stat -c "$2" "$1" 2>&1), not $3"; }
absent() { [ ! -e "$root$1" ] && [ ! -L "$root$1" ] || wrong "$when: $1 is still there"; }
enabled() {
  for unit in placard.service placard-update.service placard-update.path; do
    [ -L "$root/etc/systemd/system/multi-user.target.wants/$unit" ] || wrong "$when: $unit is not enabled"
  done
}
installed() {
  [ "$(inside dpkg-query -W -f '${db:Status-Status} ${Version}' "$package")" = "installed $1" ] || wrong "$when: not installed"
  is /var/lib/placard '%U %G %a' 'placard placard 700'
  is /var/lib/placard-update '%U %a' 'root 755'
  is /var/lib/placard-update/inbox '%U %a' 'placard 700'
  [ -x "$root$(inside readlink -f /usr/bin/placard-player)" ] || wrong "$when: /usr/bin/placard-player leads nowhere"
}
version() { dpkg-deb -f "$1" Version; }

when='after the installation'
dpkg_inside -i /packages/old.deb
installed "$(version "$old")"
enabled
for group in video render input audio; do
  inside id -nG placard | grep -qw "$group" || ! inside getent group "$group" >/dev/null || wrong "$when: not in group $group"
done
[ "$(inside getent passwd placard | cut -d : -f 7)" = /usr/sbin/nologin ] || wrong "$when: the user can log in"
inside /usr/lib/placard/placard-update run || wrong "$when: the update helper does not run"

when='after an upgrade'
echo kept >"$root/var/lib/placard/identity.json"
dpkg_inside -i /packages/new.deb
installed "$(version "$new")"
enabled
[ "$(cat "$root/var/lib/placard/identity.json")" = kept ] || wrong "$when: the identity is lost"

when='after an upgrade of a disabled player'
rm "$root/etc/systemd/system/multi-user.target.wants/placard.service"
dpkg_inside -i /packages/new.deb
absent /etc/systemd/system/multi-user.target.wants/placard.service

when='after the removal'
dpkg_inside -r "$package"
absent /usr/lib/placard/placard-update
absent /usr/lib/systemd/system/placard.service
absent /usr/bin/placard-player
[ -e "$root/var/lib/placard/identity.json" ] || wrong "$when: the identity is lost, though nothing was purged"

when='after another installation'
dpkg_inside -i /packages/new.deb
installed "$(version "$new")"

when='after the purge'
dpkg_inside -P "$package"
absent /var/lib/placard
absent /var/lib/placard-update
absent /etc/systemd/system/multi-user.target.wants/placard-update.path
