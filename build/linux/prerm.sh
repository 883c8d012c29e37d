#!/bin/sh
# Before a removal. Does nothing on an upgrade: playback continues, and the player is restarted afterwards.
set -e
[ "$1" = remove ] || exit 0
if [ -d /run/systemd/system ]; then
  systemctl stop placard-update.path placard-update.timer placard.service || true
fi
