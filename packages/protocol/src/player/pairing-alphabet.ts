/** Letters of a pairing code: no vowels, no digits, no look-alikes. */
export const PAIRING_ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
/** Number of letters in a code, shown as `XXX-XXX`. */
export const PAIRING_CODE_LENGTH = 6;
