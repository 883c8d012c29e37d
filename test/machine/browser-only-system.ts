import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildBrowserFlags } from '../../src/shells/chromium/browser-flags.ts';
import { buildImage, runInTree } from './system-image.ts';
import type { SystemImage } from './system-image.ts';
import type { System } from './systems.ts';

/** The flags of the player, which uses software rendering where there is no graphics hardware, without its control pipe. */
const FLAGS = buildBrowserFlags({
  profileDir: '/var/lib/bare/browser',
  headless: false,
  platform: 'linux',
  env: {},
  sandbox: true,
  softwareRendering: true,
  windowSize: { width: 1920, height: 1080 },
}).filter((flag) => !/^--(app|ozone-platform|remote-debugging-pipe)/.test(flag));

/** A static page that only the browser draws. */
const SHOW_PAGE = `#!/bin/sh
exec chromium ${FLAGS.join(' ')} '--app=data:text/html,<body style=background:rgb(30,160,40)>' "$@"
`;
const PROGRAM = '/var/lib/bare/show-page';

const SESSION: Record<System['display'], string> = {
  wayland: `labwc -s "${PROGRAM} --ozone-platform=wayland"`,
  // Only X keeps the console as its standard input; background jobs have none. The loop avoids failing starts of the browser.
  x11: `sh -c '(export DISPLAY=:0; until [ -S /tmp/.X11-unix/X0 ]; do sleep 0.1; done; ${PROGRAM} --ozone-platform=x11) & exec X :0 vt1 -keeptty -nolisten tcp -nocursor'`,
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
  return buildImage(system, 'browser-only', (tree) => {
    const server = system.display === 'wayland' ? 'labwc' : 'xserver-xorg';
    runInTree(
      tree,
      `apt-get update; apt-get -y install chromium chromium-sandbox network-manager fonts-noto-cjk openssl polkitd ${server}`,
    );
    runInTree(
      tree,
      'useradd --system --create-home --home-dir /var/lib/bare bare; for group in video render input; do usermod -a -G $group bare; done',
    );
    writeFileSync(join(tree, PROGRAM), SHOW_PAGE, { mode: 0o755 });
    writeFileSync(join(tree, 'etc/systemd/system/bare.service'), UNIT(SESSION[system.display]));
    runInTree(tree, 'systemctl enable bare.service');
  });
}
