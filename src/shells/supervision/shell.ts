/**
 * JavaScript that is true once the script of a page has removed `data-script="loading"` from it. A page is also complete
 * when its script could not be loaded, for example because the browser's network service crashed, and would stay black.
 */
export const HAS_SCRIPT_RUN = "document.documentElement.dataset['script'] !== 'loading'";
export const SCRIPT_NOT_LOADED = 'the script of the page could not be loaded';

/** Of `captureJpeg`, 0 to 100: text stays readable. */
export const JPEG_QUALITY = 70;

/** The window of a player: one window with one page in it. */
export interface Shell {
  readonly name: 'electron' | 'chromium' | 'headless';
  /** Starts slow work before the address of the page is known; the next `open` uses the result. Optional. */
  warmUp?(): void;
  /**
   * Opens the page in a new window; an existing window is closed first. Resolves when the script of the page has
   * run, rejects when the page or its script cannot be loaded.
   */
  open(url: string): Promise<void>;
  /** PNG of the window; rejects when there is none. */
  capture(): Promise<Uint8Array>;
  /** JPEG of the window, scaled down until the longer side has at most `maxPixels`; rejects when there is no window. */
  captureJpeg(maxPixels: number): Promise<Uint8Array>;
  /** Closes the window and its processes within four seconds. Never rejects. */
  close(): Promise<void>;
  /**
   * Switches software rendering on or off from the next window on. `restart`: this shell can change it only by a
   * restart of the whole player.
   */
  setSoftwareRendering(enabled: boolean): 'next_window' | 'restart';
  /** Reports that an opened window is gone or its page is dead, once per `open`; not after `close`. */
  onLost(listener: (reason: string) => void): void;
}
