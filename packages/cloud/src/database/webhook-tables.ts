/** The tables of webhooks; see `schema.ts`. */
export interface WebhookTables {
  webhooks: {
    id: string;
    url: string;
    events: string;
    is_active: number;
    secret: string;
    disabled_reason: string | null;
    /** The secret before the last rotation, and until when it also signs. */
    previous_secret: string | null;
    previous_until: number | null;
    created_at: number;
    updated_at: number;
  };
  webhook_deliveries: {
    id: string;
    webhook_id: string;
    /** Order of creation. */
    seq: number;
    event_type: string;
    /** Id of the resource concerned; deliveries about one resource are sent in order. */
    resource: string;
    payload: string;
    /** Size of the payload. */
    bytes: number;
    status: 'pending' | 'succeeded' | 'failed';
    attempts: number;
    next_attempt_at: number | null;
    response_status: number | null;
    error: string | null;
    created_at: number;
    finished_at: number | null;
  };
}
