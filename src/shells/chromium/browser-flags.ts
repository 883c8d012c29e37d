/** What decides the command line of the browser. */
export interface BrowserFlagsFacts {
  profileDir: string;
  headless: boolean;
  platform: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Chromium refuses its sandbox to root; elsewhere it stays on unless the system has no way to make one. */
  sandbox: boolean;
  /** Safe mode: nothing is left to the graphics card or its driver. */
  software?: boolean;
  /** Of a headless window, or of the panel where no window manager answers; null leaves it to the display. Pixels. */
  windowSize: { width: number; height: number } | null;
}

/** The frame that a window without a manager keeps. Pixels. */
export const EDGE_PIXELS = 1;

const ALWAYS = [
  '--remote-debugging-pipe',
  // Nobody is there to answer questions.
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-session-crashed-bubble',
  '--hide-crash-restore-bubble',
  '--noerrdialogs',
  '--deny-permission-prompts',
  '--password-store=basic',
  '--use-mock-keychain',
  // Until the first picture a window is dark, not white.
  '--force-dark-mode',
  // Nothing but the page of this machine is loaded, and nobody else is called.
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-sync',
  '--no-pings',
  '--disk-cache-size=33554432',
  // The picture never waits for a gesture and never sleeps.
  '--autoplay-policy=no-user-gesture-required',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // Fingers move nothing.
  '--disable-pinch',
  '--overscroll-history-navigation=0',
  '--disable-features=CalculateNativeWinOcclusion,MediaRouter,OptimizationHints,OverscrollHistoryNavigation,Translate',
];

const SOFTWARE = ['--disable-gpu', '--disable-accelerated-video-decode', '--disable-accelerated-2d-canvas'];

/** An app window has no bars at all; until the page is there it shows this. */
const BLACK_PAGE = 'data:text/html,<body style="background:black">';

/** The whole command line after the executable. */
export function browserFlags(facts: BrowserFlagsFacts): string[] {
  const flags = [...ALWAYS, `--user-data-dir=${facts.profileDir}`];
  // Without the test type a bar would warn about the missing sandbox, on top of the picture.
  if (!facts.sandbox) flags.push('--no-sandbox', '--test-type');
  if (facts.software) flags.push(...SOFTWARE);
  if (facts.windowSize) {
    const edge = facts.headless ? 0 : EDGE_PIXELS;
    const { width, height } = facts.windowSize;
    flags.push(`--window-size=${width + 2 * edge},${height + 2 * edge}`);
    if (edge > 0) flags.push(`--window-position=${-edge},${-edge}`);
  }
  if (facts.headless) flags.push('--headless', '--hide-scrollbars', '--mute-audio');
  else {
    flags.push('--kiosk', '--start-fullscreen');
    if (facts.platform === 'linux') flags.push(`--ozone-platform=${displayServer(facts.env)}`);
  }
  return [...flags, facts.headless ? 'about:blank' : `--app=${BLACK_PAGE}`];
}

function displayServer(env: Readonly<Record<string, string | undefined>>): 'wayland' | 'x11' {
  return env['WAYLAND_DISPLAY'] ? 'wayland' : 'x11';
}
