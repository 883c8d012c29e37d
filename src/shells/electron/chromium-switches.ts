/** Electron's `app.commandLine`. */
export interface CommandLine {
  appendSwitch(name: string, value?: string): void;
  /** Empty when it was not given. */
  getSwitchValue(name: string): string;
}

/** With their values, if they take one. The Chromium shell gives its browser the same. */
const SWITCHES: readonly (readonly [name: string, value?: string])[] = [
  // Nobody can answer prompts, and no dialog may cover the picture.
  ['noerrdialogs'],
  ['deny-permission-prompts'],
  ['password-store', 'basic'],
  // Playback continues even when the system reports the window as covered.
  ['disable-background-timer-throttling'],
  ['disable-backgrounding-occluded-windows'],
  ['disable-renderer-backgrounding'],
  // No touch gestures.
  ['disable-pinch'],
  ['overscroll-history-navigation', '0'],
];

/** Windows reports covered windows to Chromium, which does not draw them. */
const DISABLED_FEATURES = ['CalculateNativeWinOcclusion', 'OverscrollHistoryNavigation', 'Translate'];

/** Sets Chromium's switches before Electron is ready. Switches given at the start are kept. */
export function setChromiumSwitches(commandLine: CommandLine): void {
  for (const [name, value] of SWITCHES) {
    commandLine.appendSwitch(name, value);
  }
  // A second switch of the same name would replace the first.
  const alreadyDisabled = commandLine.getSwitchValue('disable-features').split(',').filter(Boolean);
  commandLine.appendSwitch(
    'disable-features',
    [...new Set([...alreadyDisabled, ...DISABLED_FEATURES])].join(','),
  );
}
