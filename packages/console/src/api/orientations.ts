/** How a screen can hang, in the order in which it is offered. */
export const ORIENTATIONS = ['landscape', 'portrait', 'landscape-flipped', 'portrait-flipped'] as const;

export type Orientation = (typeof ORIENTATIONS)[number];

/** The orientation with this name, as a form has it; landscape for any other text. */
export const orientationOf = (name: string | undefined): Orientation =>
  ORIENTATIONS.find((each) => each === name) ?? 'landscape';
