import type { RolloutTexts } from './texts/english.ts';

/** What screens have in common. */
export interface Kind {
  /** Null: all screens. */
  kind: string | null;
  /** Left out by clouds of earlier versions. */
  model?: string | null;
  shell?: string | null;
}

/** Names the board and shell that screens have in common; empty for all screens. */
export function kindText(
  texts: Pick<RolloutTexts, 'rareKinds' | 'unknownShell'>,
  { kind, model, shell }: Kind,
): string {
  if (kind === null) {
    return '';
  }
  if (model === undefined) {
    return kind;
  }
  return model === null ? texts.rareKinds : `${model} · ${shell ?? texts.unknownShell}`;
}
