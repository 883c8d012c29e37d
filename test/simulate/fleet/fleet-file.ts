import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** A paired device. */
export interface FleetDevice {
  number: number;
  id: string;
  token: string;
}

/** A pairing that was started; its token can still be fetched when the simulator was killed in between. */
export interface StartedPairing {
  pairingId: string;
  pollToken: string;
}

const number = z.int().min(0);
const line = z.union([
  z.strictObject({ number, id: z.string(), token: z.string() }),
  z.strictObject({ number, pairing_id: z.string(), poll_token: z.string() }),
  /** The cloud has removed the device: it must be paired again. */
  z.strictObject({ number, unpaired: z.literal(true) }),
]);

const FILE = 'fleet.jsonl';

/** The paired devices, in a file that only its owner can read. */
export interface FleetFile {
  readonly devices: ReadonlyMap<number, FleetDevice>;
  readonly started: ReadonlyMap<number, StartedPairing>;
  addStarted(number: number, pairing: StartedPairing): void;
  add(device: FleetDevice): void;
  remove(number: number): void;
  close(): void;
}

/** Opens the file of a folder, or creates it. */
export function openFleetFile(folder: string): FleetFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, FILE);
  const file = openSync(path, 'a', 0o600);
  chmodSync(path, 0o600);
  // The incomplete line of a killed process.
  truncateSync(path, readFileSync(path).lastIndexOf('\n') + 1);
  const { devices, started } = readFleet(folder);
  const append = (entry: z.infer<typeof line>) => void writeSync(file, `${JSON.stringify(entry)}\n`);
  return {
    devices,
    started,
    addStarted(number, pairing) {
      started.set(number, pairing);
      append({ number, pairing_id: pairing.pairingId, poll_token: pairing.pollToken });
    },
    add(device) {
      devices.set(device.number, device);
      started.delete(device.number);
      append({ ...device });
    },
    remove(number) {
      devices.delete(number);
      append({ number, unpaired: true });
    },
    close: () => closeSync(file),
  };
}

/** Reads the file of a folder. */
export function readFleet(folder: string): {
  devices: Map<number, FleetDevice>;
  started: Map<number, StartedPairing>;
} {
  const devices = new Map<number, FleetDevice>();
  const started = new Map<number, StartedPairing>();
  const lines = readFileSync(join(folder, FILE), 'utf8').split('\n');
  // What follows the last line break is empty, or the incomplete line of a killed process.
  for (const [index, text] of lines.slice(0, -1).entries()) {
    const entry = parseLine(text);
    if (!entry) {
      throw new Error(
        `${join(folder, FILE)}, line ${index + 1}: not a device. Restore the file, or delete it.`,
      );
    }
    if ('token' in entry) {
      devices.set(entry.number, entry);
      started.delete(entry.number);
    } else if ('pairing_id' in entry) {
      started.set(entry.number, { pairingId: entry.pairing_id, pollToken: entry.poll_token });
    } else {
      devices.delete(entry.number);
    }
  }
  return { devices, started };
}

function parseLine(text: string) {
  try {
    return line.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
