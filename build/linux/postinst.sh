#!/bin/sh
# After an installation or upgrade. electron-builder uses this instead of its own script and expands braces after a
# dollar sign, so variables are written without braces.
set -e

# The system's Chromium was upgraded: restart the player, because the files of the running browser are gone.
if [ "$1" = triggered ]; then
  [ ! -d /run/systemd/system ] || systemctl --no-block try-restart placard.service || true
  exit 0
fi
[ "$1" = configure ] || exit 0

# The player's user and folders.
getent passwd placard >/dev/null || useradd --system --user-group --no-create-home \
  --home-dir /var/lib/placard --shell /usr/sbin/nologin --comment 'Placard player' placard
for group in video render input audio; do
  if getent group "$group" >/dev/null; then usermod --append --groups "$group" placard; fi
done
install -d -m 755 /etc/placard /var/lib/placard-update
install -d -m 700 -o placard -g placard /var/lib/placard /var/lib/placard-update/inbox

# Enabled at the first installation only; an upgrade respects that an administrator has disabled a unit.
for unit in placard.service placard-update.service placard-update.path; do
  if deb-systemd-helper --quiet was-enabled "$unit"; then
    deb-systemd-helper enable "$unit" >/dev/null
  else
    deb-systemd-helper update-state "$unit" >/dev/null
  fi
done
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl start placard-update.path
  # During an update by the helper, the player is restarted when the trial begins.
  [ -n "$PLACARD_UPDATE" ] || systemctl --no-block try-restart placard.service
fi

# What electron-builder's own script does; the package without Electron skips it.
app=/opt/Placard
[ -e $app/placard-player ] || exit 0
if command -v update-alternatives >/dev/null; then
  if [ -L /usr/bin/placard-player ] && [ "$(readlink /usr/bin/placard-player)" != /etc/alternatives/placard-player ]; then
    rm -f /usr/bin/placard-player
  fi
  update-alternatives --install /usr/bin/placard-player placard-player $app/placard-player 100
else
  ln -sf $app/placard-player /usr/bin/placard-player
fi
# Set-user-ID sandbox only where the kernel has no user namespaces.
if [ -L /proc/self/ns/user ] && unshare --user true 2>/dev/null; then
  chmod 0755 $app/chrome-sandbox || true
else
  chmod 4755 $app/chrome-sandbox || true
fi
if command -v update-mime-database >/dev/null; then update-mime-database /usr/share/mime || true; fi
if command -v update-desktop-database >/dev/null; then update-desktop-database /usr/share/applications || true; fi
# Ubuntu 24.04 and later allow user namespaces by profile only; older AppArmor cannot parse that profile.
profile=$app/resources/apparmor-profile
if apparmor_status --enabled >/dev/null 2>&1 && apparmor_parser --skip-kernel-load --debug $profile >/dev/null 2>&1; then
  cp -f $profile /etc/apparmor.d/placard-player
  if ! ischroot; then
    # A kernel that rejects the profile must not leave the package half-configured.
    apparmor_parser --replace --write-cache --skip-read-cache /etc/apparmor.d/placard-player ||
      echo 'placard: the AppArmor profile could not be loaded; if the player does not start, see "No usable sandbox" in operations.md' >&2
  fi
fi
