import type { RequesterColumns } from '../database/requester-columns.ts';
import type { Actor } from './operation-route.ts';

/** Whoever asked for work in the background. Only people who are bound to no stores may. */
export const actorOfRow = ({
  actor_type,
  actor_id,
  actor_name,
}: Pick<RequesterColumns, 'actor_type' | 'actor_id' | 'actor_name'>): Actor => ({
  type: actor_type,
  id: actor_id,
  name: actor_name,
  scope: 'Write',
  stores: null,
  session: null,
});
