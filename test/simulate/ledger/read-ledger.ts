import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ledgerEntry } from './entries.ts';
import type { LedgerEntry } from './entries.ts';
import { LEDGER_SUFFIX } from './ledger-file.ts';

/** What one device has sent, and what of it was acknowledged. */
export interface DeviceLedger {
  /** Times of samples in milliseconds since 1970. */
  sent: Set<number>;
  acknowledged: Set<number>;
  plays: Set<string>;
  isUnpaired: boolean;
}

export interface Ledger {
  /** By id. */
  devices: Map<string, DeviceLedger>;
  /** By id: the last acknowledged report of its device; null: none. */
  commands: Map<string, { deviceId: string; reported: 'acknowledged' | 'succeeded' | 'failed' | null }>;
}

/** Reads all files of a ledger. The last line of a file may be incomplete: its process was killed. */
export async function readLedger(folder: string): Promise<Ledger> {
  const ledger: Ledger = { devices: new Map(), commands: new Map() };
  const files = (await readdir(folder)).filter((name) => name.endsWith(LEDGER_SUFFIX)).toSorted();
  for (const file of files) {
    /** Ids by number, in this file. */
    const ids = new Map<number, string>();
    const lines = createInterface({ input: createReadStream(join(folder, file)), crlfDelay: Infinity });
    let number = 0;
    let broken: number | null = null;
    for await (const line of lines) {
      number += 1;
      if (broken !== null) {
        throw new Error(`${join(folder, file)}, line ${broken}: not an entry of a ledger. Restore the file.`);
      }
      const entry = parse(line);
      if (entry) {
        apply(ledger, ids, entry);
      } else {
        broken = number;
      }
    }
  }
  return ledger;
}

function parse(line: string): LedgerEntry | null {
  try {
    return ledgerEntry.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

function apply(ledger: Ledger, ids: Map<number, string>, entry: LedgerEntry): void {
  const deviceOf = (number: number) => findDevice(ledger, ids.get(number) ?? '');
  switch (entry[0]) {
    case 'device':
      ids.set(entry[1], entry[2]);
      break;
    case 'sending':
      entry[2].forEach((at) => deviceOf(entry[1]).sent.add(at));
      break;
    case 'samples':
      entry[2].forEach((at) => deviceOf(entry[1]).acknowledged.add(at));
      break;
    case 'plays':
      entry[2].forEach((id) => deviceOf(entry[1]).plays.add(id));
      break;
    case 'report': {
      const known = ledger.commands.get(entry[2]);
      const isFinal = known?.reported === 'succeeded' || known?.reported === 'failed';
      ledger.commands.set(entry[2], {
        deviceId: ids.get(entry[1]) ?? '',
        reported: isFinal && known ? known.reported : entry[3],
      });
      break;
    }
    case 'command':
      if (!ledger.commands.has(entry[1])) {
        ledger.commands.set(entry[1], { deviceId: entry[2], reported: null });
      }
      break;
    case 'unpaired':
      deviceOf(entry[1]).isUnpaired = true;
      break;
  }
}

function findDevice({ devices }: Ledger, id: string): DeviceLedger {
  let device = devices.get(id);
  if (!device) {
    device = { sent: new Set(), acknowledged: new Set(), plays: new Set(), isUnpaired: false };
    devices.set(id, device);
  }
  return device;
}
