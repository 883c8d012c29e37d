import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DRM = '/sys/class/drm';

/** In pixels. */
export interface Size {
  width: number;
  height: number;
}

/**
 * Size in pixels of the first connected screen in its preferred mode, as reported by the Linux kernel: the mode
 * that an X server starts with. Null when it is unknown (no screen, a driver without mode setting, another system).
 */
export function panelSize(drm = DRM): Size | null {
  try {
    for (const connector of readdirSync(drm).toSorted()) {
      if (!/^card\d+-/.test(connector)) {
        continue;
      }
      if (readFileSync(join(drm, connector, 'status'), 'utf8').trim() !== 'connected') {
        continue;
      }
      const mode = /^(\d+)x(\d+)/.exec(readFileSync(join(drm, connector, 'modes'), 'utf8'));
      if (mode) {
        return { width: Number(mode[1]), height: Number(mode[2]) };
      }
    }
  } catch {
    // No such folder, or a screen that is just being unplugged.
  }
  return null;
}
