import { isPlayerFlag } from '../options/player-options.ts';

const isSwitch = (argument: string): boolean => argument.startsWith('-');
const isForChromium = (argument: string): boolean => isSwitch(argument) && !isPlayerFlag(argument);

/**
 * Divides Electron's `process.argv`, without the binary and the script of a development start. The player knows its
 * own flags; every other switch is left to Chromium, whose switches have no complete list. Chromium takes a value
 * only after `=`, so a mistyped flag with its value after a space is still reported by the player.
 */
export function splitArguments(argv: readonly string[], packaged: boolean) {
  const script = packaged ? -1 : argv.findIndex((argument, index) => index > 0 && !isSwitch(argument));
  const args = argv.filter((_argument, index) => index > 0 && index !== script);
  return {
    /** For the player: its own flags with their values, and anything that is not a switch. */
    player: args.filter((argument) => !isForChromium(argument)),
    /** For Chromium, which ignores unknown switches. */
    chromium: args.filter(isForChromium),
  };
}
