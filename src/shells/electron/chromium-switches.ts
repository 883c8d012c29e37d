import { COMMON_DISABLED_FEATURES, COMMON_SWITCHES } from '../chromium/common-switches.ts';

/** Electron's `app.commandLine`. */
export interface CommandLine {
  appendSwitch(name: string, value?: string): void;
  /** Empty when it was not given. */
  getSwitchValue(name: string): string;
}

/** Sets Chromium's switches before Electron is ready. Switches given at the start are kept. */
export function setChromiumSwitches(commandLine: CommandLine): void {
  for (const [name, value] of COMMON_SWITCHES) {
    commandLine.appendSwitch(name, value);
  }
  // A second switch of the same name would replace the first.
  const alreadyDisabled = commandLine.getSwitchValue('disable-features').split(',').filter(Boolean);
  commandLine.appendSwitch(
    'disable-features',
    [...new Set([...alreadyDisabled, ...COMMON_DISABLED_FEATURES])].join(','),
  );
}
