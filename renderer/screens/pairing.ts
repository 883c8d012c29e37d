import './pairing.css';
import { correction, generate } from 'lean-qr';
import { faultText } from '../strings/strings.ts';
import { brand } from './brand.ts';
import { element, setText } from './element.ts';
import { clockCorner, factRows } from './fact-rows.ts';
import { countdown } from './time-text.ts';
import type { View, ViewContext } from './view.ts';
import { wayHint, wayRow } from './way.ts';

/** The code for a room, the QR code for a phone, and what a technician on a ladder wants to know. */
export function pairingView(context: ViewContext): View<'pairing'> {
  const { words } = context;
  const { pairing } = words.strings;
  const clock = clockCorner(context);
  const facts = factRows(words.strings);
  const way = wayRow(words);
  const code = element('div', 'code');
  code.dir = 'ltr';
  const left = element('p', 'countdown');
  const address = element('bdi', 'address');
  const instruction = element('p', 'instruction', pairing.beforeAddress, address, pairing.afterAddress);
  const waiting = element(
    'div',
    'waiting',
    element('p', 'waiting-title', pairing.waiting),
    element('p', 'waiting-hint', pairing.waitingHint),
  );
  const qr = element('canvas', 'qr');
  const card = element('div', 'qr-card', qr);
  const scan = element('div', 'scan', card, element('p', '', pairing.withPhone));
  const problem = element('p', 'problem');
  problem.setAttribute('role', 'status');

  const root = element(
    'section',
    'screen pairing',
    element('header', '', brand(), clock.root),
    element(
      'main',
      '',
      element('div', 'pair', element('h1', '', pairing.title), code, waiting, instruction, left),
      scan,
    ),
    element('div', 'diagnosis', way.root, problem),
    element('footer', '', facts.root),
  );

  let expiresAtMs: number | null = null;
  let drawnCode: string | null = null;
  let drawnUrl: string | null = null;
  const tick = () => {
    clock.tick();
    const leftMs = expiresAtMs === null ? 0 : expiresAtMs - context.wallMs();
    // A code that is late, for the cloud does not answer, is not promised any more.
    setText(left, leftMs > 0 ? pairing.renewsIn(countdown(leftMs)) : '');
  };
  return {
    root,
    show(screen) {
      clock.show(screen.facts);
      facts.show(screen.facts);
      expiresAtMs = screen.expires_at_ms;
      const hasCode = screen.code !== null;
      waiting.hidden = hasCode;
      code.hidden = !hasCode;
      left.hidden = !hasCode;
      instruction.hidden = !hasCode || screen.verification_url === null;
      scan.hidden = screen.verification_url_complete === null;
      setText(address, (screen.verification_url ?? '').replace(/^https?:\/\//, ''));
      const around = {
        server: screen.facts.server,
        timezone: screen.facts.timezone,
        nowMs: screen.facts.now_ms,
      };
      const steps = screen.steps ?? [];
      way.show(steps, around);
      const advice = wayHint(words, steps, around) ?? faultText(words, screen.problem ?? '');
      problem.hidden = advice === null;
      setText(problem, advice ?? '');
      if (screen.code !== null && screen.code !== drawnCode) {
        drawnCode = screen.code;
        code.setAttribute('aria-label', screen.code);
        code.replaceChildren(
          ...screen.code
            .split('')
            .map((letter) =>
              element('span', letter === '-' ? 'code-dash' : 'code-letter', letter === '-' ? '' : letter),
            ),
        );
      }
      const url = screen.verification_url_complete;
      if (url !== null && url !== drawnUrl) {
        drawnUrl = url;
        generate(url, { minCorrectionLevel: correction.M }).toCanvas(qr, {
          on: [11, 18, 32],
          off: [255, 255, 255],
          pad: 0,
        });
        card.style.setProperty('--modules', String(qr.width));
      }
      tick();
    },
    tick,
  };
}
