import { z } from 'zod';
import type { Scenario } from '../scenario.ts';
import { eventually } from '../scenario-context.ts';
import { BOOT_WITHIN_MS } from './power-on.ts';

/** For the machine to answer at all. */
const ANSWER_WITHIN_MS = 10_000;
const SMOKE_WITHIN_MS = 10 * 60_000;
const stepSchema = z.object({ ok: z.boolean(), detail: z.string() });
const reportSchema = z.looseObject({
  ok: z.boolean(),
  arch: z.string(),
  store: stepSchema,
  clip: stepSchema,
  picture: stepSchema,
});

/** What `--smoke-test` prints: one line of JSON among other output. */
function parseReport(output: string) {
  const line = output.split('\n').find((each) => each.startsWith('{'));
  if (line === undefined) {
    throw new Error(`the smoke test printed no report: ${output}`);
  }
  return reportSchema.parse(JSON.parse(line));
}

/**
 * The installed program checks itself, as the user of the service: its native modules for this processor, and a video in the
 * installed browser. The player is stopped meanwhile, as an emulated machine is too slow for two browsers.
 */
export const smokeTest: Scenario = {
  name: 'smoke-test',
  title: 'The installed program stores data and plays a video',
  async run(context) {
    const machine = await context.createMachine('smoke-test');
    await machine.powerOn();
    await eventually('a machine that has booted', BOOT_WITHIN_MS, () =>
      machine.console.tryRun('systemctl is-active placard.service', ANSWER_WITHIN_MS),
    );
    const output = await machine.console.run(
      `systemctl stop placard.service
runuser -u placard -- placard-player --smoke-test --shell headless --data "$(runuser -u placard -- mktemp -d)" 2>&1 || true`,
      SMOKE_WITHIN_MS,
    );
    const report = parseReport(output);
    for (const step of ['store', 'clip', 'picture'] as const) {
      context.report(`smoke test on ${report.arch}: ${step}: ${report[step].detail}`);
    }
    if (!report.ok || report.arch !== (context.system.arch === 'amd64' ? 'x64' : 'arm64')) {
      throw new Error(`the smoke test failed: ${output}`);
    }
  },
};
