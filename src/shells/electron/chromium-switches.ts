/** Electron's `app.commandLine`. */
export interface CommandLine {
  appendSwitch(name: string, value?: string): void;
  /** Empty when it was not given. */
  getSwitchValue(name: string): string;
}

/** With their values, if they take one. The other shell gives its browser the same. */
const SWITCHES: readonly (readonly [name: string, value?: string])[] = [
  // Nobody is there to answer questions, and no window of the system belongs on the sign.
  ['noerrdialogs'],
  ['deny-permission-prompts'],
  ['password-store', 'basic'],
  // The picture goes on, whatever the system believes to lie on top of it.
  ['disable-background-timer-throttling'],
  ['disable-backgrounding-occluded-windows'],
  ['disable-renderer-backgrounding'],
  // Fingers move nothing.
  ['disable-pinch'],
  ['overscroll-history-navigation', '0'],
];

/** Windows tells Chromium which windows are covered, and a window that counts as covered is not drawn. */
const FEATURES_OFF = ['CalculateNativeWinOcclusion', 'OverscrollHistoryNavigation', 'Translate'];

/** Sets what Electron's Chromium has to know before Electron is ready. What was given at the start stays. */
export function setChromiumSwitches(commandLine: CommandLine): void {
  for (const [name, value] of SWITCHES) commandLine.appendSwitch(name, value);
  // A second switch of the same name would take the place of the first.
  const given = commandLine.getSwitchValue('disable-features').split(',').filter(Boolean);
  commandLine.appendSwitch('disable-features', [...new Set([...given, ...FEATURES_OFF])].join(','));
}
