/** What a shell of any kind does for the player: one window, one page in it. */
export interface Shell {
  readonly name: 'electron' | 'chromium' | 'headless';
  /**
   * Begins what takes long, before the address of the page is known; the next `open` goes on with it. A shell that
   * has nothing to begin leaves it out.
   */
  warm?(): void;
  /**
   * Opens the page in a fresh window; a window that is still there is closed first. Resolves when the page has
   * loaded, rejects when it cannot.
   */
  open(url: string): Promise<void>;
  /** PNG of what the window shows; rejects when there is none. */
  capture(): Promise<Uint8Array>;
  /** Closes the window and everything that belongs to it, within four seconds. Never rejects. */
  close(): Promise<void>;
  /**
   * Draws in software from the next window on (true), or as usual again. `restart`: this shell can change that only
   * when the whole player starts anew.
   */
  drawInSoftware(on: boolean): 'next_window' | 'restart';
  /** Tells that an opened window is gone or its page is dead, once per `open`; `close` does not tell. */
  onGone(listener: (reason: string) => void): void;
}
