/**
 * `node test/screenshots/console/readme.ts`: draws the pictures of the console in the README and in `docs/console.md` again into
 * `docs/images`, after `npm run build:cloud`. Japanese names need a Japanese font on this machine (`fonts-noto-cjk`).
 */
import { resolve } from 'node:path';
import sharp from 'sharp';
import { settle, showScene, withOrganization } from './open-scene.ts';
import { CONSOLE_SCENES } from './scenes.ts';

const FOLDER = resolve('docs/images');
const WIDTH = 1200;
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Scene, and the name of its picture. */
const DESK_PICTURES = [
  ['devices-tiles', 'console-devices'],
  ['device', 'console-device'],
  ['playlist', 'console-playlist'],
  ['schedule-rule', 'console-schedule'],
] as const;
const PHONE_PICTURES = [
  ['pair', 'console-pair'],
  ['devices', 'console-phone'],
] as const;

await withOrganization(false, async (rig, seeded) => {
  for (const [pictures, viewport] of [
    [DESK_PICTURES, DESK],
    [PHONE_PICTURES, PHONE],
  ] as const) {
    const isTouched = viewport === PHONE;
    const { page } = await rig.startBrowser({
      viewport,
      colorScheme: 'light',
      timezoneId: 'Europe/Berlin',
      hasTouch: isTouched,
      isMobile: isTouched,
      ...(isTouched && { deviceScaleFactor: 2 }),
    });
    for (const [name, file] of pictures) {
      await seeded.keepOnline();
      const scene = CONSOLE_SCENES.find((each) => each.name === name)!;
      await showScene(page, { rig, scene, path: scene.path(seeded) });
      await settle(page);
      await sharp(await page.screenshot())
        .resize({ width: Math.min(WIDTH, viewport.width * (isTouched ? 1.5 : 1)), kernel: 'lanczos3' })
        .webp({ quality: 82, effort: 6 })
        .toFile(resolve(FOLDER, `${file}.webp`));
    }
  }
});
