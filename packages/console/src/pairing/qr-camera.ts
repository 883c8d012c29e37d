/* Reads QR codes with the camera, in browsers that have a detector of them. */

/** The part of the Barcode Detection API that is used; the library of TypeScript lacks it. */
interface Detector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}
interface DetectorClass {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats(): Promise<string[]>;
}
declare global {
  var BarcodeDetector: DetectorClass | undefined;
}

const DETECT_DELAY_MS = 150;

/** Whether this browser can find QR codes and gives this page a camera, which it does over https only. */
export async function canScan(): Promise<boolean> {
  // Older browsers have no `mediaDevices`, and none has it over http.
  const devices: MediaDevices | undefined = navigator.mediaDevices;
  try {
    return (
      devices !== undefined &&
      ((await globalThis.BarcodeDetector?.getSupportedFormats())?.includes('qr_code') ?? false)
    );
  } catch {
    return false;
  }
}

/**
 * The texts of the QR codes that the camera at the back sees, while the video shows its picture; ends when the signal is
 * aborted, and the camera is off after it. Rejects with a `DOMException`: `NotAllowedError` when the person or the browser
 * refuses the camera, others when there is none or it fails.
 */
export async function* scanQrCode(video: HTMLVideoElement, closed: AbortSignal): AsyncGenerator<string> {
  if (!globalThis.BarcodeDetector) {
    throw new DOMException('No detector of QR codes.', 'NotSupportedError');
  }
  const detector = new globalThis.BarcodeDetector({ formats: ['qr_code'] });
  const camera = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  try {
    video.srcObject = camera;
    if (!closed.aborted) {
      await video.play();
    }
    while (!closed.aborted) {
      for (const { rawValue } of await detector.detect(video)) {
        yield rawValue;
      }
      await new Promise((resolve) => setTimeout(resolve, DETECT_DELAY_MS));
    }
  } finally {
    for (const track of camera.getTracks()) {
      track.stop();
    }
    video.srcObject = null;
  }
}
