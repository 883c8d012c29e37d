import { COMMON_DISABLED_FEATURES, COMMON_SWITCHES } from './common-switches.ts';
import type { Size } from './panel-size.ts';

/** Inputs of the browser's command line. */
export interface BrowserFlagOptions {
  /** Profile of the player's own browser; it holds no data worth keeping. */
  profileDir: string;
  headless: boolean;
  platform: string;
  env: NodeJS.ProcessEnv;
  /** Chromium refuses its sandbox to root; otherwise it stays on unless the system cannot provide one. */
  sandbox: boolean;
  /** Safe mode: no GPU and no GPU driver. */
  softwareRendering?: boolean;
  /** Size of a headless window, or of the panel without a window manager, in pixels; null: decided by the display. */
  windowSize: Size | null;
}

/** Width of the border of a window without a manager, in pixels. */
export const WINDOW_BORDER_PX = 1;

const BASE_FLAGS = [
  '--remote-debugging-pipe',
  // Nobody can answer prompts.
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-session-crashed-bubble',
  '--hide-crash-restore-bubble',
  '--use-mock-keychain',
  // Makes the window dark, not white, until the first picture.
  '--force-dark-mode',
  // Nothing is loaded but the page of this machine, and no other server is contacted.
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-sync',
  '--no-pings',
  '--disk-cache-size=33554432',
  // Playback never waits for a user gesture.
  '--autoplay-policy=no-user-gesture-required',
  ...COMMON_SWITCHES.map(([name, value]) => `--${name}${value === undefined ? '' : `=${value}`}`),
  `--disable-features=${[...COMMON_DISABLED_FEATURES, 'MediaRouter', 'OptimizationHints'].join(',')}`,
];

const SOFTWARE_RENDERING_FLAGS = [
  '--disable-gpu',
  '--disable-accelerated-video-decode',
  '--disable-accelerated-2d-canvas',
];

/** An app window has no toolbars; it shows this until the page is loaded. */
const BLACK_PAGE = 'data:text/html,<body style="background:black">';

/** The command line after the executable. */
export function buildBrowserFlags(options: BrowserFlagOptions): string[] {
  const flags = [...BASE_FLAGS, `--user-data-dir=${options.profileDir}`];
  // Without the test type an infobar would warn about the missing sandbox, on top of the page.
  if (!options.sandbox) {
    flags.push('--no-sandbox', '--test-type');
  }
  if (options.softwareRendering) {
    flags.push(...SOFTWARE_RENDERING_FLAGS);
  }
  if (options.windowSize) {
    const borderPx = options.headless ? 0 : WINDOW_BORDER_PX;
    const { width, height } = options.windowSize;
    flags.push(`--window-size=${width + 2 * borderPx},${height + 2 * borderPx}`);
    if (borderPx > 0) {
      flags.push(`--window-position=${-borderPx},${-borderPx}`);
    }
  }
  if (options.headless) {
    flags.push('--headless', '--hide-scrollbars', '--mute-audio');
  } else {
    flags.push('--kiosk', '--start-fullscreen');
    if (options.platform === 'linux') {
      flags.push(`--ozone-platform=${displayServer(options.env)}`);
    }
  }
  return [...flags, options.headless ? 'about:blank' : `--app=${BLACK_PAGE}`];
}

function displayServer(env: NodeJS.ProcessEnv): 'wayland' | 'x11' {
  return env['WAYLAND_DISPLAY'] ? 'wayland' : 'x11';
}
