import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeImage, runInTree, type SystemImage } from './system-image.ts';
import type { System } from './systems.ts';

/** One still page, drawn by nothing but the browser. */
const PAGE = '<!doctype html><body style="margin:0;background:rgb(30,160,40)"></body>';

const BROWSER =
  'chromium --kiosk --start-fullscreen --no-first-run --noerrdialogs --password-store=basic --window-position=-1,-1 --window-size=1922,1082 --user-data-dir=/var/lib/bare/browser --app=file:///var/lib/bare/page.html';

const SESSION: Record<System['display'], string> = {
  wayland: `labwc -s "${BROWSER} --ozone-platform=wayland"`,
  // The browser tries until the server takes connections.
  x11: `sh -c 'X :0 vt1 -keeptty -nolisten tcp -nocursor & export DISPLAY=:0; until ${BROWSER} --ozone-platform=x11; do sleep 0.1; done'`,
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
Environment=WLR_RENDERER_ALLOW_SOFTWARE=1
ExecStart=/usr/bin/${session}
[Install]
WantedBy=multi-user.target
`;

/** The same system with the same browser on a still page and no player: what a start from power to picture is held against. */
export function bareImage(system: System): SystemImage {
  return makeImage(system, 'bare-1', (tree) => {
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
