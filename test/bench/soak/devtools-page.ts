import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';
import { buildBrowserFlags } from '../../../src/shells/chromium/browser-flags.ts';
import { startBrowser } from '../../../src/shells/chromium/browser-process.ts';
import {
  bundledBrowserCacheDir,
  unpackBundledBrowser,
} from '../../../src/shells/chromium/bundled-browser.ts';
import { startStageHost } from '../../e2e/stage-host.ts';
import type { StageHost } from '../../e2e/stage-host.ts';
import { waitUntil } from '../../support/wait-until.ts';

type Commands = ProtocolMapping.Commands;

/**
 * The page in the player's own browser, without Playwright, which makes the renderer keep up to 200 MB of loaded
 * resources for inspection.
 */
export interface DevtoolsPage {
  host: StageHost;
  /** Sends a command to the page; commands for the whole browser work as well. */
  devtools<Method extends keyof Commands>(
    method: Method,
    params?: Commands[Method]['paramsType'][0],
  ): Promise<Commands[Method]['returnType']>;
  /** Process ids of the renderers: the page's, and possibly a spare one. */
  renderers(): Promise<number[]>;
  close(): Promise<void>;
}

export async function openDevtoolsPage(size: { width: number; height: number }): Promise<DevtoolsPage> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-bare-'));
  const bundled = await unpackBundledBrowser(bundledBrowserCacheDir());
  const host = await startStageHost(folder);
  const browser = startBrowser({
    executable: bundled.executable,
    args: buildBrowserFlags({
      profileDir: join(folder, 'browser'),
      headless: true,
      platform: process.platform,
      env: process.env,
      // Tests run as root and in containers.
      sandbox: false,
      windowSize: size,
    }),
    env: { ...process.env, ...bundled.env },
  });
  const { pipe } = browser;
  const targetId = await waitUntil('the first tab', async () => {
    const { targetInfos } = await pipe.send('Target.getTargets');
    return targetInfos.find(({ type }) => type === 'page')?.targetId;
  });
  const { sessionId } = await pipe.send('Target.attachToTarget', { targetId, flatten: true });
  const metrics = { ...size, deviceScaleFactor: 1, mobile: false };
  await pipe.send('Emulation.setDeviceMetricsOverride', metrics, sessionId);
  await pipe.send('Page.navigate', { url: host.issuePageUrl() }, sessionId);
  await waitUntil('the page to say hello', () => host.messagesOfType('hello').length > 0);
  return {
    host,
    devtools: (method, params) => pipe.send(method, params, sessionId),
    async renderers() {
      const { processInfo } = await pipe.send('SystemInfo.getProcessInfo');
      return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
    },
    async close() {
      await browser.stop();
      await host.stopServer();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
