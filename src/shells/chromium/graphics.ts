import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Devices that draw: of the kernel's drivers, and of makers that have drivers of their own. */
const DRAWS = /^(renderD\d+|nvidia\d+|mali\d*|pvr.*|kgsl.*)$/;

/**
 * Whether this Linux machine has graphics hardware that can draw. Only false where the kernel drives a screen and
 * nothing that draws, as in most virtual machines: there a browser finds out by failing, for seconds, at each start.
 */
export function hasGraphics(devices = '/dev'): boolean {
  const screens = join(devices, 'dri');
  if (!existsSync(screens)) return true;
  return [...readdirSync(screens), ...readdirSync(devices)].some((name) => DRAWS.test(name));
}
