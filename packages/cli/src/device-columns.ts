import type { Device } from '@placard/client';
import type { Columns } from './output/table.ts';

export const DEVICE_COLUMNS: Columns<Device> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  STATUS: ({ status }) => status,
  'LAST SEEN': ({ last_heartbeat: last }) => last,
  VERSION: ({ player_version: version }) => version,
  STORE: ({ store_id: store }) => store,
  TAGS: ({ tags }) => tags,
};
