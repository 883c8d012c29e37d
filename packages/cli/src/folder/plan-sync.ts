/** What is in the folder on this machine. */
export interface LocalFile {
  name: string;
  sha256: string;
}

/** What is in the folder of the cloud. */
export interface RemoteFile extends LocalFile {
  id: string;
}

export interface SyncPlan<L extends LocalFile, R extends RemoteFile> {
  upload: L[];
  /** The file has another content now. `current` has it already if an earlier run broke off before it took the place of the old. */
  replace: { file: L; old: R[]; current: R | null }[];
  /** The same content under another name. */
  rename: { file: L; old: R }[];
  /** No longer on this machine. */
  surplus: R[];
  unchanged: number;
}

/** What to do so that the folder of the cloud has the files of this machine, by name and SHA-256. */
export function planSync<L extends LocalFile, R extends RemoteFile>(
  local: readonly L[],
  remote: readonly R[],
): SyncPlan<L, R> {
  const plan: SyncPlan<L, R> = { upload: [], replace: [], rename: [], surplus: [], unchanged: 0 };
  const left = new Set(remote);
  const others: L[] = [];
  for (const file of local) {
    const sameName = [...left].filter((each) => each.name === file.name);
    sameName.forEach((each) => left.delete(each));
    const current = sameName.find((each) => each.sha256 === file.sha256) ?? null;
    const old = sameName.filter((each) => each !== current);
    if (old.length > 0) {
      plan.replace.push({ file, old, current });
    } else if (current) {
      plan.unchanged++;
    } else {
      others.push(file);
    }
  }
  for (const file of others) {
    const old = [...left].find((each) => each.sha256 === file.sha256);
    if (old) {
      left.delete(old);
      plan.rename.push({ file, old });
    } else {
      plan.upload.push(file);
    }
  }
  plan.surplus = [...left];
  return plan;
}
