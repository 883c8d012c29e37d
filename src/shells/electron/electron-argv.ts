import { isOwnFlag } from '../player-options.ts';

/** What a command line holds for whom. */
export interface DividedArguments {
  /** For the player: its own flags with their values, and what is no switch at all. */
  player: string[];
  /** For Chromium, which ignores what it does not know. */
  chromium: string[];
}

const isSwitch = (argument: string): boolean => argument.startsWith('-');
const isForChromium = (argument: string): boolean => isSwitch(argument) && !isOwnFlag(argument);

/**
 * Divides Electron's `process.argv`, without the binary and without the script that a development start names. The
 * player knows its own flags; every other switch is Chromium's, whose switches nobody can list. Chromium takes a value
 * after `=` only, so a mistyped flag with its value after a space still ends in the player's complaint about the value.
 */
export function divideArguments(argv: readonly string[], packaged: boolean): DividedArguments {
  const script = packaged ? -1 : argv.findIndex((argument, index) => index > 0 && !isSwitch(argument));
  const given = argv.filter((_argument, index) => index > 0 && index !== script);
  return {
    player: given.filter((argument) => !isForChromium(argument)),
    chromium: given.filter(isForChromium),
  };
}
