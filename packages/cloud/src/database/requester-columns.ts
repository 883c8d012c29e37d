/** Who asked for work that goes on in the background, by which request, from which address: for the audit log. */
export interface RequesterColumns {
  actor_type: 'api_key' | 'user';
  actor_id: string;
  actor_name: string;
  address: string;
  request_id: string;
}
