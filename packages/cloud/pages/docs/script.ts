/* The docs page: Scalar with the description of this cloud. */

import viewerUrl from 'scalar';
import { describeBeyondRequests } from './beyond-requests.ts';
import { withUnsentFilters } from './optional-parameters.ts';
import type { ApiDescription } from './beyond-requests.ts';

function showNotice(text: string): void {
  const notice = document.querySelector('#viewer .notice');
  if (notice) {
    notice.textContent = text;
  }
}

const loadViewer = () =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = viewerUrl;
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => reject(new Error('its script did not arrive')));
    document.head.append(script);
  });

async function readDescription(): Promise<ApiDescription> {
  const response = await fetch('/openapi.json');
  if (!response.ok) {
    throw new Error(`/openapi.json was answered with ${response.status}`);
  }
  return response.json();
}

try {
  // The viewer is a megabyte: the page says meanwhile that it comes.
  const [, api] = await Promise.all([loadViewer(), readDescription()]);
  const { info } = api;
  const content = {
    ...api,
    paths: withUnsentFilters(api.paths),
    info: { ...info, description: `${info.description}\n\n${describeBeyondRequests(api)}` },
    // Requests go to the address of this page, also where the public one is another.
    servers: [{ url: location.origin }],
  };
  document.querySelector('#viewer .notice')?.remove();
  Scalar.createApiReference('#viewer', {
    content,
    authentication: { preferredSecurityScheme: 'apiKey' },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    // A key is forgotten with the page.
    persistAuth: false,
    // Nothing but this cloud is asked, so the page works without the internet.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    documentDownloadType: 'json',
  });
} catch (error) {
  showNotice(`The API could not be shown. Load the page again. (${String(error)})`);
}
