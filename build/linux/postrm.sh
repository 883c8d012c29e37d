#!/bin/sh
# After a removal; `purge` also erases identity, media and logs. No braces after a dollar sign, see postinst.sh.
set -e
case $1 in
  remove | purge) ;;
  *) exit 0 ;;
esac
# With Electron, /usr/bin/placard-player is a link that postinst made.
if [ -e /etc/alternatives/placard-player ] || [ -L /etc/alternatives/placard-player ]; then
  update-alternatives --remove placard-player /opt/Placard/placard-player
elif [ -L /usr/bin/placard-player ]; then
  rm -f /usr/bin/placard-player
fi
if [ -f /etc/apparmor.d/placard-player ]; then
  if apparmor_status --enabled >/dev/null 2>&1 && ! ischroot; then
    apparmor_parser --remove /etc/apparmor.d/placard-player || true
  fi
  rm -f /etc/apparmor.d/placard-player
fi
# Not when the player's other package has replaced this one: it uses the same data.
if [ "$1" = purge ] && [ ! -e /usr/lib/placard/placard-update ]; then
  if command -v deb-systemd-helper >/dev/null; then
    deb-systemd-helper purge placard.service placard-update.service placard-update.path >/dev/null
  fi
  rm -rf /var/lib/placard /var/lib/placard-update
  # The two documented files; other files in the folder belong to the administrator.
  rm -f /etc/placard/config.json /etc/placard/environment
  rmdir --ignore-fail-on-non-empty /etc/placard 2>/dev/null || true
  # The user that postinst created. Its session may outlive its display by some seconds.
  if [ "$(getent passwd placard | cut -d : -f 6)" = /var/lib/placard ]; then
    userdel --force placard >/dev/null 2>&1 || true
  fi
  # dpkg removes an empty /opt together with the folder of the package in it; a Debian system has one.
  mkdir -p -m 755 /opt
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
