import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';
import { browserFlags } from '../../../src/shells/chromium/browser-flags.ts';
import { startBrowser } from '../../../src/shells/chromium/browser-process.ts';
import { carriedCacheDir, unpackCarriedBrowser } from '../../../src/shells/chromium/carried-browser.ts';
import { startStageHost, type StageHost } from '../../e2e/stage-host.ts';
import { until } from '../../support/until.ts';

type Commands = ProtocolMapping.Commands;

/**
 * The page in the player's own browser, without the test tool of the other tests: that one has the renderer keep
 * what it loads, up to 200 MB of it, in case somebody asks for it.
 */
export interface BarePage {
  host: StageHost;
  /** To the page; what is about the whole browser answers there, too. */
  devtools<Method extends keyof Commands>(
    method: Method,
    params?: Commands[Method]['paramsType'][0],
  ): Promise<Commands[Method]['returnType']>;
  /** Process ids of the renderers: the page's, and perhaps a spare one. */
  renderers(): Promise<number[]>;
  close(): Promise<void>;
}

export async function startBarePage(size: { width: number; height: number }): Promise<BarePage> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-bare-'));
  const carried = await unpackCarriedBrowser(carriedCacheDir());
  const host = await startStageHost(folder);
  const browser = startBrowser({
    executable: carried.executable,
    args: browserFlags({
      profileDir: join(folder, 'browser'),
      headless: true,
      platform: process.platform,
      env: process.env,
      // Tests run as root and in containers.
      sandbox: false,
      windowSize: size,
    }),
    env: { ...process.env, ...carried.env },
  });
  const { pipe } = browser;
  const targetId = await until('the first tab', async () => {
    const { targetInfos } = await pipe.send('Target.getTargets');
    return targetInfos.find(({ type }) => type === 'page')?.targetId;
  });
  const { sessionId } = await pipe.send('Target.attachToTarget', { targetId, flatten: true });
  const metrics = { ...size, deviceScaleFactor: 1, mobile: false };
  await pipe.send('Emulation.setDeviceMetricsOverride', metrics, sessionId);
  await pipe.send('Page.navigate', { url: host.issuePageUrl() }, sessionId);
  await until('the page to say hello', () => host.heard('hello').length > 0);
  return {
    host,
    devtools: (method, params) => pipe.send(method, params, sessionId),
    async renderers() {
      const { processInfo } = await pipe.send('SystemInfo.getProcessInfo');
      return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
    },
    async close() {
      await browser.end();
      await host.stopServer();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
