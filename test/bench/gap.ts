/**
 * What a display shows between two items on a machine that does nothing else, beside a page with an `<img>` and a `<video>`.
 * `npm run bench:gap`.
 */
import { setup as buildPage } from '../e2e/build-page.ts';
import type { Figure } from './figures.ts';
import { median } from './gap/gap-analysis.ts';
import { makeMedia } from './gap/media.ts';
import {
  CONTROL_SECONDS,
  isBlank,
  playKnownItems,
  requireBrowser,
  USUAL_SIZE,
  watchControl,
} from './gap/play-items.ts';
import { NotMeasuredError } from './not-measured.ts';
import type { Settings } from './settings.ts';

const TRANSITIONS = 100;
const QUICK_TRANSITIONS = 4;
const QUICK_CONTROL_SECONDS = 8;
const ROUNDS = 1;

export async function measureGap({ transitions, isQuick, rounds }: Settings): Promise<Figure[]> {
  const each = transitions ?? (isQuick ? QUICK_TRANSITIONS : TRANSITIONS);
  const executable = requireBrowser();
  const files = await makeMedia();
  await buildPage();
  const blanksMs: number[] = [];
  const errorsMs: number[] = [];
  const captures = [];
  let bad = 0;
  for (let round = 0; round < rounds(ROUNDS); round++) {
    const seconds = isQuick ? QUICK_CONTROL_SECONDS : CONTROL_SECONDS;
    blanksMs.push(...(await watchControl(executable, files, { size: USUAL_SIZE, seconds })));
    const { analyzer, failures } = await playKnownItems(executable, files, {
      size: USUAL_SIZE,
      transitions: each,
      busy: false,
      pictureSeconds: null,
    });
    const seen = analyzer.transitions;
    if (seen.length < each || failures.length > 0) {
      throw new Error(`${seen.length} of ${each} transitions were seen; ${failures.join('; ')}`);
    }
    const { black, wrong } = analyzer.remainingCounts;
    bad += seen.filter((one) => one.black + one.wrong > 0).length + (black + wrong > 0 ? 1 : 0);
    errorsMs.push(...seen.slice(1).map(({ lengthErrorMs }) => Math.abs(lengthErrorMs)));
    captures.push(analyzer.captureStats);
  }
  if (!blanksMs.some(isBlank)) {
    throw new NotMeasuredError('the page that must show black showed none, so this run proves nothing');
  }
  const count = each * captures.length;
  const perSecond = Math.min(...captures.map((capture) => capture.perSecond));
  const longestGapMs = Math.max(...captures.map((capture) => capture.longestGapMs));
  return [
    {
      name: `${count.toLocaleString('en')} transitions on a display: with a black or wrong frame`,
      ours: (100 * bad) / count,
      unit: '%',
      limit: {
        name: 'page with `<img>` and `<video>`',
        value: (100 * blanksMs.filter(isBlank).length) / blanksMs.length,
      },
      goal: 0,
      detail: `${perSecond.toFixed(0)} frames captured a second, longest pause ${longestGapMs.toFixed(0)} ms`,
    },
    {
      name: '… error of the duration of an item, median',
      ours: median(errorsMs),
      unit: 'ms',
      limit: null,
      goal: null,
      detail: `worst ${Math.max(...errorsMs).toFixed(0)} ms`,
    },
  ];
}
