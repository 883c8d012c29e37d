/** Switches that every Chromium gets, the installed one and the one in Electron. With their values, if they take one. */
export const COMMON_SWITCHES: readonly (readonly [name: string, value?: string])[] = [
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

/** Features that every Chromium gets disabled. Windows reports covered windows to Chromium, which does not draw them. */
export const COMMON_DISABLED_FEATURES: readonly string[] = [
  'CalculateNativeWinOcclusion',
  'OverscrollHistoryNavigation',
  'Translate',
];
