import type { NewestDevices, SettledDevice } from '../../database/device-reads.ts';
import { toIso } from '../../domain/iso-time.ts';
import { presentDevice } from '../../http-server/present.ts';

/** Of devices that lists have shown: their JSON before and after the value of `last_heartbeat`. */
const texts = new WeakMap<SettledDevice, readonly [before: string, after: string]>();

/** The devices as JSON, the same as of `presentDevice`, in a tenth of the time: only the last heartbeats are new. */
export function newestDevicesJson(devices: NewestDevices['devices']): string {
  let json = '';
  for (const { device, last_heartbeat: atMs } of devices) {
    let text = texts.get(device);
    if (!text) {
      text = toText(device);
      texts.set(device, text);
    }
    json += `${json === '' ? '' : ','}${text[0]}${atMs === null ? 'null' : `"${toIso(atMs)}"`}${text[1]}`;
  }
  return `[${json}]`;
}

const FIELD = '"last_heartbeat":';

/** In a value the quotes of such a text would be escaped. */
function toText(device: SettledDevice): readonly [string, string] {
  const json = JSON.stringify(presentDevice({ ...device, last_heartbeat: null }));
  const end = json.indexOf(`${FIELD}null`) + FIELD.length;
  return [json.slice(0, end), json.slice(end + 'null'.length)];
}
