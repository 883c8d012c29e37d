import type { Store } from '@placard/client';
import type { Command } from 'commander';
import type { Columns } from '../output/table.ts';
import type { OpenSession } from '../session.ts';

const COLUMNS: Columns<Store> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  CITY: ({ city }) => city,
  REGION: ({ region }) => region,
  'TIME ZONE': ({ timezone }) => timezone,
  SCREENS: ({ device_count: count }) => count,
};

interface NewStore {
  city?: string;
  region?: string;
  country?: string;
  timezone?: string;
}

export function addStoreCommands(program: Command, open: OpenSession): void {
  const stores = program.command('stores').description('the places where screens stand');
  stores
    .command('list', { isDefault: true })
    .description('all stores')
    .action(async () => {
      const { placard, out, signal } = await open();
      out.list(await placard.stores.list({}, { signal }).toArray(), COLUMNS);
    });
  stores
    .command('create <name>')
    .description('create a store')
    .option('--city <name>', 'where it is')
    .option('--region <name>', 'for "placard timeline --region"')
    .option('--country <name>', 'where it is')
    .option('--timezone <zone>', 'such as Europe/Berlin')
    .action(async (name: string, fields: NewStore) => {
      const { placard, out, signal } = await open();
      const store = await placard.stores.create({ name, ...fields }, { signal });
      out.done(`Created ${store.name} (${store.id}).`, store);
    });
}
