/** What the readiness check of the cloud tells. */
export interface Health {
  status: string;
  database: string;
  time_zone_data: string;
  media_store?: { state: string; message: string };
  disk: { state: string; message: string; free_bytes: number };
}

/** How the cloud is. A cloud that is not ready says so with the same fields and status 503. */
export async function readHealth(signal: AbortSignal): Promise<Health> {
  const response = await fetch('/readyz', { signal });
  // Written together with this page, in `cloud/http/health-checks.ts`.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (await response.json()) as Health;
}

/** The version of the cloud, as the description of its API tells. */
export async function readVersion(signal: AbortSignal): Promise<string> {
  const response = await fetch('/openapi.json', { signal });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { info } = (await response.json()) as { info: { version: string } };
  return info.version;
}
