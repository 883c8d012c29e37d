import { correction, generate } from 'lean-qr';
import { faultText } from '../strings/strings.ts';
import { brand } from './brand.ts';
import { element, setText } from './element.ts';
import { headerClock, playerInfoRows } from './player-info.ts';
import { formatCountdown } from './format-time.ts';
import type { View, ViewContext } from './view.ts';
import { connectivityHintText, connectivityRow } from './connectivity-check.ts';
// After the rules of the connectivity check, some of which it overrides.
import './pairing.css';

/** The pairing code, its QR code, and what a technician needs to know. */
export function pairingView(context: ViewContext): View<'pairing'> {
  const { locale } = context;
  const { pairing } = locale.strings;
  const clock = headerClock(context);
  const infoRows = playerInfoRows(locale.strings);
  const stepRow = connectivityRow(locale);
  const code = element('div', 'code');
  code.dir = 'ltr';
  const countdownText = element('p', 'countdown');
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
      element('div', 'pair', element('h1', '', pairing.title), code, waiting, instruction, countdownText),
      scan,
    ),
    element('div', 'diagnosis', stepRow.root, problem),
    element('footer', '', infoRows.root),
  );

  let expiresAtMs: number | null = null;
  let shownCode: string | null = null;
  let shownUrl: string | null = null;
  const tick = () => {
    clock.tick();
    const remainingMs = expiresAtMs === null ? 0 : expiresAtMs - context.wallMs();
    // No countdown for a code whose renewal is overdue because the cloud does not respond.
    setText(countdownText, remainingMs > 0 ? pairing.renewsIn(formatCountdown(remainingMs)) : '');
  };
  return {
    root,
    show(screen) {
      clock.show(screen.info);
      infoRows.show(screen.info);
      expiresAtMs = screen.expires_at_ms;
      const hasCode = screen.code !== null;
      waiting.hidden = hasCode;
      code.hidden = !hasCode;
      countdownText.hidden = !hasCode;
      instruction.hidden = !hasCode || screen.verification_url === null;
      scan.hidden = screen.verification_url_complete === null;
      setText(address, (screen.verification_url ?? '').replace(/^https?:\/\//, ''));
      const steps = screen.steps ?? [];
      stepRow.show(steps, screen.info);
      const advice =
        connectivityHintText(locale, steps, screen.info) ?? faultText(locale, screen.problem ?? '');
      problem.hidden = advice === null;
      setText(problem, advice ?? '');
      if (screen.code !== null && screen.code !== shownCode) {
        shownCode = screen.code;
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
      if (url !== null && url !== shownUrl) {
        shownUrl = url;
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
