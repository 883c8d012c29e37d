import type { Hardware, PairingStartRequest } from '@placard/protocol';
import { name } from '@placard/protocol/api';

/** Bytes of JSON that are kept of what a screen says about its hardware before anybody knows it. */
export const MOST_HARDWARE_BYTES = 8_192;

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/**
 * The hardware as it is kept: single values first, then displays and network interfaces one by one, as many as
 * fit into 8 kB. What does not fit is left out as a whole.
 */
export function keptHardware({ displays, network_interfaces: interfaces, ...single }: Hardware): Hardware {
  let kept: Hardware = single;
  const keep = (more: Hardware): boolean => {
    const next = { ...kept, ...more };
    const fits = bytesOf(next) <= MOST_HARDWARE_BYTES;
    if (fits) kept = next;
    return fits;
  };
  if (displays) keep({ displays: [] });
  displays?.every((_, index) => keep({ displays: displays.slice(0, index + 1) }));
  if (interfaces) keep({ network_interfaces: [] });
  interfaces?.every((_, index) => keep({ network_interfaces: interfaces.slice(0, index + 1) }));
  return kept;
}

/** The name of a device that the operator did not name: the first of what its screen told that is a name. */
export function deviceNameOf(
  {
    hostname,
    model,
    hardware,
    serial,
  }: Pick<PairingStartRequest, 'hostname' | 'model' | 'hardware' | 'serial'>,
  code: string,
): string {
  for (const told of [hostname, model, hardware?.model, serial]) {
    const read = name.safeParse(told);
    if (read.success) return read.data;
  }
  return `Screen ${code}`;
}
