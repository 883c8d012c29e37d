import { TUS_CHECKSUMS } from '@placard/protocol/api';

export interface UploadChecksum {
  algorithm: (typeof TUS_CHECKSUMS)[number];
  /** In Base64. */
  digest: string;
}

/** Reads the header `Upload-Checksum` of tus; null if it is none of an algorithm that is offered. */
export function parseUploadChecksum(header: string): UploadChecksum | null {
  const [name, digest = '', ...more] = header.trim().split(' ');
  const algorithm = TUS_CHECKSUMS.find((each) => each === name);
  const isDigest = /^[A-Za-z0-9+/]+={0,2}$/.test(digest);
  return algorithm === undefined || !isDigest || more.length > 0 ? null : { algorithm, digest };
}
