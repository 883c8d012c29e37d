/** Switches of Chromium itself, as a service file or a developer passes them. */
const CHROMIUM_SWITCH =
  /^--(ozone-platform|no-sandbox|enable-|disable-|use-|js-flags|force-|ignore-|in-process-)/;

/**
 * The player's own arguments out of Electron's `process.argv`: without the binary, without the script that a
 * development start names, and without what is meant for Chromium.
 */
export function playerArguments(argv: readonly string[], packaged: boolean): string[] {
  const own = argv.filter((argument, index) => index > 0 && !CHROMIUM_SWITCH.test(argument));
  return packaged ? own : own.slice(1);
}
