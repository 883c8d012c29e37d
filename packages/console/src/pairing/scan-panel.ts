/* The part of the pairing page that reads the code with the camera; not shown in browsers that cannot. */
import { findCodeProblem, formatCode, texts } from './cloud.ts';
import { byId } from './page-elements.ts';
import { canScan, scanQrCode } from './qr-camera.ts';

const startButton = byId('scan-start', HTMLButtonElement);
const stopButton = byId('scan-stop', HTMLButtonElement);
const view = byId('scan-view', HTMLElement);
const video = byId('scan-video', HTMLVideoElement);

interface ScanResults {
  /** Called with a code of six letters, formatted as on the screen. */
  onCode: (code: string) => void;
  /** Called with what keeps the camera from finding a code, or with an empty text when a new attempt starts. */
  onProblem: (text: string) => void;
}

/** Shows the button that opens the camera, if this browser can find QR codes. */
export async function offerScan(results: ScanResults): Promise<void> {
  startButton.addEventListener('click', () => void scan(results));
  byId('scan', HTMLElement).hidden = !(await canScan());
}

async function scan({ onCode, onProblem }: ScanResults): Promise<void> {
  const closed = new AbortController();
  const close = () => closed.abort();
  for (const [target, event] of [
    [stopButton, 'click'],
    [document, 'visibilitychange'],
    [document, 'submit'],
  ] as const) {
    target.addEventListener(event, close, { signal: closed.signal });
  }
  onProblem('');
  startButton.hidden = true;
  view.hidden = false;
  try {
    for await (const text of scanQrCode(video, closed.signal)) {
      const code = readScannedCode(text);
      if (code !== null) {
        onCode(code);
        break;
      }
      onProblem(texts.scanOther);
    }
  } catch (error) {
    const isDenied = error instanceof DOMException && error.name === 'NotAllowedError';
    onProblem(isDenied ? texts.cameraDenied : texts.cameraFailed);
  } finally {
    close();
    view.hidden = true;
    startButton.hidden = false;
  }
}

/** The code in the address that a screen shows as QR code, or a bare code; null when there is none. */
function readScannedCode(text: string): string | null {
  const code = formatCode(URL.canParse(text) ? (new URL(text).searchParams.get('code') ?? '') : text);
  return findCodeProblem(code) === null ? code : null;
}
