/** A setting is not valid, or something that the player needs is missing: starting again changes nothing. */
export const EXIT_CANNOT_START = 2;
/** Asks the parent supervisor to restart the player (`EX_TEMPFAIL`). */
export const EXIT_RESTART = 75;
