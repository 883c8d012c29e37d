import type { InstalledBrowser } from './chromium/find-browser.ts';
import type { ShellChoice } from './player-options.ts';

/** What this machine has. */
export interface ShellFacts {
  /** A display that a window can open on. */
  display: boolean;
  /** Path of the Electron binary that is ready to run, or null. */
  electron: string | null;
  /** Why Electron cannot start although its binary is here, with what would mend it; null when it can. */
  electronProblem: string | null;
  /** Installed Chromium, Chrome or Edge, or null. */
  browser: InstalledBrowser | null;
  /** Whether a headless Chromium came with the npm packages. */
  carried: boolean;
}

/** Which shell draws, and the sentence that says why. */
export type ShellPlan =
  | { kind: 'electron'; binary: string; why: string }
  | { kind: 'chromium'; executable: string; why: string }
  /** `executable` null: the carried browser. */
  | { kind: 'headless'; executable: string | null; why: string }
  | { kind: 'none'; why: string };

/** Picks the shell. Asked for by name it is that one or none; `auto` takes the best that can work here. */
export function chooseShell(wanted: ShellChoice, facts: ShellFacts): ShellPlan {
  switch (wanted) {
    case 'electron':
      return electron(facts, 'it was asked for') ?? none(whyNotElectron(facts));
    case 'chromium':
      return (
        chromium(facts, 'it was asked for') ??
        none(
          facts.browser
            ? NO_DISPLAY
            : 'no Chromium, Chrome or Edge was found: install one, or use --shell headless',
        )
      );
    case 'headless':
      return headless(facts, 'it was asked for') ?? none(NO_BROWSER);
    case 'auto':
      return (
        electron(facts, 'its binary is there') ??
        chromium(facts, noElectron(facts)) ??
        headless(facts, whyHeadless(facts)) ??
        none(NO_BROWSER)
      );
  }
  return wanted satisfies never;
}

const FETCH_ELECTRON =
  'the Electron binary is not here; run "npx install-electron" where downloads are allowed, or use --shell auto';
const NO_DISPLAY =
  'there is no display for a window; set DISPLAY or WAYLAND_DISPLAY, or use --shell headless';
const NO_BROWSER = 'no way to show a picture was found: install Chromium, Chrome or Edge';

function none(why: string): ShellPlan {
  return { kind: 'none', why };
}

function noElectron(facts: ShellFacts): string {
  if (facts.electron === null) return 'the Electron binary is not here';
  return facts.display ? cannotStart(facts) : 'there is no display for a window';
}

/** The reason, for who has asked for Electron and nothing else. */
function whyNotElectron(facts: ShellFacts): string {
  if (facts.electron === null) return FETCH_ELECTRON;
  return facts.display ? `${cannotStart(facts)}, or use --shell auto` : NO_DISPLAY;
}

function whyHeadless(facts: ShellFacts): string {
  if (!facts.display) return 'there is no display';
  const noBrowser = 'no browser is installed for a window';
  return facts.electron === null ? noBrowser : `${cannotStart(facts)}; ${noBrowser}`;
}

const cannotStart = ({ electronProblem }: ShellFacts): string =>
  `Electron cannot start, ${electronProblem ?? 'for a reason that is not known'}`;

function electron({ electron: binary, electronProblem, display }: ShellFacts, why: string): ShellPlan | null {
  return binary !== null && electronProblem === null && display ? { kind: 'electron', binary, why } : null;
}

function chromium({ browser, display }: ShellFacts, why: string): ShellPlan | null {
  return browser && display
    ? { kind: 'chromium', executable: browser.executable, why: `${browser.name} is installed; ${why}` }
    : null;
}

function headless({ browser, carried }: ShellFacts, why: string): ShellPlan | null {
  if (browser) {
    return { kind: 'headless', executable: browser.executable, why: `${why}; draws in ${browser.name}` };
  }
  return carried
    ? { kind: 'headless', executable: null, why: `${why}; draws in the Chromium that came with npm` }
    : null;
}

/** Whether a window can open: always, except on Linux without X11 and Wayland. */
export function hasDisplay(platform: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return platform !== 'linux' || Boolean(env['WAYLAND_DISPLAY']) || Boolean(env['DISPLAY']);
}
