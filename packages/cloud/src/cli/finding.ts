export interface Finding {
  ok: boolean;
  check: string;
  /** One sentence: what was found and, if something is wrong, what to do. */
  message: string;
}

export const passed = (check: string, message: string): Finding => ({ ok: true, check, message });
export const failed = (check: string, message: string): Finding => ({ ok: false, check, message });
