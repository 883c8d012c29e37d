import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildImage, runInTree, type SystemImage } from './system-image.ts';
import type { System } from './systems.ts';

/** A static page that only the browser draws. */
const PAGE = '<!doctype html><body style="margin:0;background:rgb(30,160,40)"></body>';

const BROWSER =
  'chromium --kiosk --start-fullscreen --no-first-run --noerrdialogs --password-store=basic --window-position=-1,-1 --window-size=1922,1082 --user-data-dir=/var/lib/bare/browser --app=file:///var/lib/bare/page.html';

/** The player uses software rendering from the start where there is no graphics hardware, so this browser does as well. */
const SOFTWARE = '--disable-gpu --disable-accelerated-video-decode --disable-accelerated-2d-canvas';

const SESSION: Record<System['display'], string> = {
  wayland: `labwc -s "${BROWSER} ${SOFTWARE} --ozone-platform=wayland"`,
  // Only X keeps the console as its standard input; background jobs have none. The loop avoids failing starts of the browser.
  x11: `sh -c '(export DISPLAY=:0; until [ -S /tmp/.X11-unix/X0 ]; do sleep 0.1; done; ${BROWSER} --ozone-platform=x11) & exec X :0 vt1 -keeptty -nolisten tcp -nocursor'`,
};

const UNIT = (session: string) => `[Unit]
After=systemd-user-sessions.service getty@tty1.service
Conflicts=getty@tty1.service
[Service]
User=bare
PAMName=login
TTYPath=/dev/tty1
StandardInput=tty-fail
StandardOutput=journal
WorkingDirectory=/var/lib/bare
Environment=WLR_RENDERER_ALLOW_SOFTWARE=1 WLR_RENDERER=pixman
ExecStart=/usr/bin/${session}
[Install]
WantedBy=multi-user.target
`;

/** The same system with the same browser on a static page, without a player: the baseline for the time from power to picture. */
export function browserOnlyImage(system: System): SystemImage {
  return buildImage(system, 'bare-2', (tree) => {
    const server = system.display === 'wayland' ? 'labwc' : 'xserver-xorg';
    runInTree(
      tree,
      `apt-get update; apt-get -y install chromium chromium-sandbox network-manager fonts-noto-cjk openssl polkitd ${server}`,
    );
    runInTree(
      tree,
      'useradd --system --create-home --home-dir /var/lib/bare bare; for group in video render input; do usermod -a -G $group bare; done',
    );
    writeFileSync(join(tree, 'var/lib/bare/page.html'), PAGE);
    writeFileSync(join(tree, 'etc/systemd/system/bare.service'), UNIT(SESSION[system.display]));
    runInTree(tree, 'systemctl enable bare.service');
  });
}
