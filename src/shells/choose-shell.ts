import type { InstalledBrowser } from './chromium/find-browser.ts';
import type { ShellChoice } from './options/settings.ts';

/** What is installed on this machine. */
export interface ShellAvailability {
  /** A display that a window can open on. */
  display: boolean;
  /** Path of the installed Electron binary, or null. */
  electronBinary: string | null;
  /** Why the installed Electron cannot start, and how to fix it; null when it can. */
  electronProblem: string | null;
  /** Installed Chromium, Chrome or Edge, or null. */
  browser: InstalledBrowser | null;
  /** Whether the npm packages include a headless Chromium. */
  hasBundledBrowser: boolean;
}

/** The chosen shell and a sentence with the reason. */
export type ShellPlan =
  | { kind: 'electron'; binary: string; why: string }
  | { kind: 'chromium'; executable: string; why: string }
  /** `executable` null: the bundled browser. */
  | { kind: 'headless'; executable: string | null; why: string }
  | { kind: 'none'; why: string };

/** Chooses the shell. One requested by name is used or none; `auto` takes the best that works here. */
export function chooseShell(requested: ShellChoice, available: ShellAvailability): ShellPlan {
  switch (requested) {
    case 'electron':
      return planElectron(available, 'it was requested') ?? noShell(electronUnavailableAdvice(available));
    case 'chromium':
      return (
        planChromium(available, 'it was requested') ??
        noShell(
          available.browser
            ? NO_DISPLAY
            : 'no Chromium, Chrome or Edge was found: install one, or use --shell headless',
        )
      );
    case 'headless':
      return planHeadless(available, 'it was requested') ?? noShell(NO_BROWSER);
    case 'auto':
      return (
        planElectron(available, 'its binary is installed') ??
        planChromium(available, electronUnavailableReason(available)) ??
        planHeadless(available, headlessReason(available)) ??
        noShell(NO_BROWSER)
      );
  }
  return requested satisfies never;
}

const ELECTRON_NOT_INSTALLED =
  'the Electron binary is not installed; run "npx install-electron" where downloads are allowed, or use --shell auto';
const NO_DISPLAY =
  'there is no display for a window; set DISPLAY or WAYLAND_DISPLAY, or use --shell headless';
const NO_BROWSER = 'no browser was found: install Chromium, Chrome or Edge';

function noShell(why: string): ShellPlan {
  return { kind: 'none', why };
}

function electronUnavailableReason(available: ShellAvailability): string {
  if (available.electronBinary === null) {
    return 'the Electron binary is not installed';
  }
  return available.display ? electronStartProblem(available) : 'there is no display for a window';
}

/** The reason and advice when Electron was requested by name. */
function electronUnavailableAdvice(available: ShellAvailability): string {
  if (available.electronBinary === null) {
    return ELECTRON_NOT_INSTALLED;
  }
  return available.display ? `${electronStartProblem(available)}, or use --shell auto` : NO_DISPLAY;
}

function headlessReason(available: ShellAvailability): string {
  if (!available.display) {
    return 'there is no display';
  }
  const noBrowser = 'no browser is installed for a window';
  return available.electronBinary === null ? noBrowser : `${electronStartProblem(available)}; ${noBrowser}`;
}

const electronStartProblem = ({ electronProblem }: ShellAvailability): string =>
  `Electron cannot start, ${electronProblem ?? 'for an unknown reason'}`;

function planElectron(
  { electronBinary: binary, electronProblem, display }: ShellAvailability,
  why: string,
): ShellPlan | null {
  return binary !== null && electronProblem === null && display ? { kind: 'electron', binary, why } : null;
}

function planChromium({ browser, display }: ShellAvailability, why: string): ShellPlan | null {
  return browser && display
    ? { kind: 'chromium', executable: browser.executable, why: `${browser.name} is installed; ${why}` }
    : null;
}

function planHeadless({ browser, hasBundledBrowser }: ShellAvailability, why: string): ShellPlan | null {
  if (browser) {
    return { kind: 'headless', executable: browser.executable, why: `${why}; uses ${browser.name}` };
  }
  return hasBundledBrowser
    ? { kind: 'headless', executable: null, why: `${why}; uses the Chromium bundled with npm` }
    : null;
}

/** Whether a window can open: always, except on Linux without X11 and Wayland. */
export function hasDisplay(platform: string, env: NodeJS.ProcessEnv): boolean {
  return platform !== 'linux' || Boolean(env['WAYLAND_DISPLAY']) || Boolean(env['DISPLAY']);
}
