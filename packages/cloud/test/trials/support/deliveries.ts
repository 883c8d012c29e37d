import { operations } from '@placard/protocol/api';
import type { Delivery } from '@placard/protocol/api';
import type { Api } from './api.ts';

/** Everything that a webhook was or will be sent, newest first. */
export async function allDeliveries(api: Api, id: string): Promise<Delivery[]> {
  const found: Delivery[] = [];
  for (let page = 1; ; page++) {
    const query = { page, limit: 100 };
    const rows = await api.get(operations.listDeliveries, { params: { id }, query });
    found.push(...rows);
    if (rows.length < query.limit) return found;
  }
}
