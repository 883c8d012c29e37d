#!/bin/sh
# Before a removal. An upgrade goes on playing: whoever upgrades restarts the player afterwards.
set -e
[ "$1" = remove ] || exit 0
if [ -d /run/systemd/system ]; then
  systemctl stop placard-update.path placard-update.timer placard.service || true
fi
