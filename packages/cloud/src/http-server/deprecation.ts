import type { Operation } from '@placard/protocol/api';

/**
 * The headers of a deprecated operation, in all of its responses: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to
 * what to use instead.
 */
export function deprecationHeaders({ deprecated }: Operation, publicUrl: string): Record<string, string> {
  if (!deprecated) {
    return {};
  }
  const { since, sunset, documentation } = deprecated;
  const url = new URL(documentation, publicUrl).href;
  return {
    deprecation: `@${Date.parse(since) / 1000}`,
    ...(sunset === undefined ? {} : { sunset: new Date(sunset).toUTCString() }),
    link: `<${url}>; rel="deprecation"; type="text/html"`,
  };
}
