import { InvalidArgumentError } from 'commander';

/** A parser of options. */
export const wholeNumber = (min: number, max: number, hint: string) => (text: string) => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new InvalidArgumentError(hint);
  }
  return value;
};
