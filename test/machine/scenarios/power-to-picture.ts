import { browserOnlyImage } from '../browser-only-system.ts';
import { isColour } from '../fixtures.ts';
import type { VirtualMachine } from '../virtual-machine.ts';
import type { Scenario } from '../scenario.ts';
import { eventually } from '../scenario-context.ts';
import { BOOT_WITHIN_MS, pairMachine, playColours, recordBoot } from './power-on.ts';

const ROUNDS = 3;
const LARGEST_RATIO = 1.5;

/** Not shorter, because screenshots slow the emulation down. */
const LOOK_EVERY_MS = 500;

/** Milliseconds from power-on to a picture that fills the screen. */
async function powerToPicture(
  machine: VirtualMachine,
  label: string,
  matches: ReturnType<typeof isColour>,
): Promise<number> {
  await machine.powerCut();
  await machine.powerOn();
  return eventually(
    `the picture of ${label}`,
    BOOT_WITHIN_MS,
    async () => {
      const atMs = machine.msSincePowerOn();
      return matches(await machine.takeScreenshot(label)) ? atMs : null;
    },
    LOOK_EVERY_MS,
  );
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const powerToPictureScene: Scenario = {
  name: 'power-to-picture',
  title: 'Time from power to picture, compared with the same system with the same browser on a static page',
  async run(context) {
    const bare = await context.createMachine('bare', { image: browserOnlyImage(context.system) });
    const bareFirst = await powerToPicture(bare, 'bare-first', isColour('green'));
    await bare.powerCut();
    const machine = await context.createMachine('player');
    await machine.powerOn();
    const { pictureAtMs: ourFirst } = await recordBoot(machine, 'player-first');
    await playColours(context, machine, await pairMachine(context, machine, 'player'));
    await machine.powerCut();
    const ours: number[] = [];
    const theirs: number[] = [];
    // Alternating, so that other load on the host affects both.
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await powerToPicture(machine, `player-${round}`, isColour('red', 'green', 'yellow')));
      await machine.powerCut();
      theirs.push(await powerToPicture(bare, `bare-${round}`, isColour('green')));
      await bare.powerCut();
    }
    for (const [when, our, their] of [
      ['first boot', ourFirst, bareFirst],
      [`later, median of ${ROUNDS}`, median(ours), median(theirs)],
    ] as const) {
      context.report(
        `${when}: player ${seconds(our)}, bare ${seconds(their)}, ratio ${(our / their).toFixed(2)}`,
      );
    }
    const ratio = Math.max(ourFirst / bareFirst, median(ours) / median(theirs));
    if (ratio > LARGEST_RATIO) {
      throw new Error(`the player takes ${ratio.toFixed(2)} times as long`);
    }
  },
};
