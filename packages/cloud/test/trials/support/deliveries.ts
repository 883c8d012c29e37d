import { operations } from '@placard/protocol/api';
import type { Delivery } from '@placard/protocol/api';
import type { Api } from './api.ts';

/** All deliveries of a webhook, sent or pending, newest first. */
export async function listAllDeliveries(api: Api, id: string): Promise<Delivery[]> {
  const found: Delivery[] = [];
  for (let page = 1; ; page++) {
    const query = { page, limit: 100 };
    const rows = await api.expectSuccess(operations.listDeliveries, { params: { id }, query });
    found.push(...rows);
    if (rows.length < query.limit) {
      return found;
    }
  }
}
