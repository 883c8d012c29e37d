import type { Bucket, StoredObject } from './bucket.ts';

/** Name of the object without bytes that says when a blob was touched. */
export const TOUCHED = 'touched';
/** `<hash>/<name of a version>`, or `<hash>/touched`. */
const OBJECT_KEY = /^([0-9a-f]{64})\/([0-9a-z]+-[0-9a-f]+|touched)$/;

/** The objects of one blob. */
export interface ObjectGroup {
  sha256: string;
  /** By their names; the last one is read. */
  versions: (StoredObject & { name: string })[];
  /** The versions, and when the blob was touched. */
  all: StoredObject[];
}

/** Objects grouped by hash; others in the bucket are skipped. */
export async function* listGroups(
  bucket: Pick<Bucket, 'list'>,
  keyPrefix: string,
): AsyncGenerator<ObjectGroup> {
  let last: ObjectGroup | undefined;
  for await (const object of bucket.list(keyPrefix)) {
    const [, sha256, name] = OBJECT_KEY.exec(object.key) ?? [];
    if (sha256 === undefined || name === undefined) {
      continue;
    }
    const group: ObjectGroup = last?.sha256 === sha256 ? last : { sha256, versions: [], all: [] };
    if (last && last !== group) {
      yield last;
    }
    last = group;
    group.all.push(object);
    if (name !== TOUCHED) {
      group.versions.push({ ...object, name });
    }
  }
  if (last) {
    yield last;
  }
}

/** The object that was written last, by the clock of the store. */
export const newestOf = ({ all }: ObjectGroup): StoredObject | undefined =>
  all.toSorted((a, b) => a.ageMs - b.ageMs)[0];
