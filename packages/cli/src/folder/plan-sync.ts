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
  /** The file has another content now. */
  replace: { file: L; old: R }[];
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
  const take = (matches: (each: R) => boolean): R | undefined => {
    const found = [...left].find((each) => matches(each));
    if (found) {
      left.delete(found);
    }
    return found;
  };
  const others = local.filter((file) => {
    const isSame = take((each) => each.name === file.name && each.sha256 === file.sha256) !== undefined;
    plan.unchanged += isSame ? 1 : 0;
    return !isSame;
  });
  const names = new Set(local.map(({ name }) => name));
  for (const file of others) {
    const sameName = take((each) => each.name === file.name);
    if (sameName) {
      plan.replace.push({ file, old: sameName });
      continue;
    }
    const sameBytes = take((each) => each.sha256 === file.sha256 && !names.has(each.name));
    if (sameBytes) {
      plan.rename.push({ file, old: sameBytes });
    } else {
      plan.upload.push(file);
    }
  }
  plan.surplus = [...left];
  return plan;
}
