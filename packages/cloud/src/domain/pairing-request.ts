import type { Hardware, PairingStartRequest } from '@placard/protocol';
import { name } from '@placard/protocol/api';
import { jsonBytes } from './device-report.ts';

/** Maximum JSON bytes stored of the hardware report of an unauthenticated device. */
export const MAX_HARDWARE_BYTES = 8_192;

/**
 * Truncates the hardware report to 8 kB of JSON: scalar fields first, then as many displays and network interfaces as
 * fit. Entries that do not fit are dropped whole.
 */
export function truncateHardware({
  displays,
  network_interfaces: interfaces,
  ...single
}: Hardware): Hardware {
  let truncated: Hardware = single;
  const addIfFits = (addition: Hardware): boolean => {
    const candidate = { ...truncated, ...addition };
    const fits = jsonBytes(candidate) <= MAX_HARDWARE_BYTES;
    if (fits) {
      truncated = candidate;
    }
    return fits;
  };
  if (displays) {
    addIfFits({ displays: [] });
  }
  displays?.every((_, index) => addIfFits({ displays: displays.slice(0, index + 1) }));
  if (interfaces) {
    addIfFits({ network_interfaces: [] });
  }
  interfaces?.every((_, index) => addIfFits({ network_interfaces: interfaces.slice(0, index + 1) }));
  return truncated;
}

/** Name of a device that the operator did not name: the first reported value that is a valid name. */
export function defaultDeviceName(
  {
    hostname,
    model,
    hardware,
    serial,
  }: Pick<PairingStartRequest, 'hostname' | 'model' | 'hardware' | 'serial'>,
  code: string,
): string {
  for (const candidateName of [hostname, model, hardware?.model, serial]) {
    const parsed = name.safeParse(candidateName);
    if (parsed.success) {
      return parsed.data;
    }
  }
  return `Screen ${code}`;
}
