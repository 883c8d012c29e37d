import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** GPU devices: of the kernel's drivers, and of vendors with their own drivers. */
const GRAPHICS_DEVICE = /^(renderD\d+|nvidia\d+|mali\d*|pvr.*|kgsl.*)$/;

/**
 * Whether this Linux machine has a GPU. False only where the kernel drives a screen but no GPU, as in most virtual
 * machines: there a browser finds out by failing, which costs seconds at each start.
 */
export function hasGraphics(devDir = '/dev'): boolean {
  const driDir = join(devDir, 'dri');
  if (!existsSync(driDir)) {
    return true;
  }
  return [...readdirSync(driDir), ...readdirSync(devDir)].some((name) => GRAPHICS_DEVICE.test(name));
}
