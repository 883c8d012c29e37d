/**
 * The text that a release key signs: one package file, described in six lines. The text itself is signed, byte for
 * byte, because the update helper is a shell script without a JSON parser, and two parsers that read one signed
 * document differently are a way around a signature.
 *
 * ```
 * placard-release=1
 * package=placard
 * version=0.2.0
 * arch=amd64
 * size=104857600
 * sha512=…128 hexadecimal digits…
 * ```
 */
export interface ReleaseManifest {
  /** Name of the package: `placard`, `placard-chromium`, `placard-windows`. */
  package: string;
  /** `major.minor.patch`, numbers only, so that Debian, Windows and this code sort versions the same way. */
  version: string;
  /** As in the package: `amd64`, `arm64`; `x64` on Windows. */
  arch: string;
  /** Bytes. */
  size: number;
  /** Hexadecimal, lower case. */
  sha512: string;
}

const RELEASE_MANIFEST_PATTERN =
  /^placard-release=1\npackage=([a-z0-9][a-z0-9+.-]*)\nversion=((?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2})\narch=([a-z0-9]+)\nsize=([1-9]\d{0,14})\nsha512=([0-9a-f]{128})\n$/;

/** The text to be signed. */
export function formatReleaseManifest(manifest: ReleaseManifest): string {
  const text =
    `placard-release=1\npackage=${manifest.package}\nversion=${manifest.version}\narch=${manifest.arch}\n` +
    `size=${manifest.size}\nsha512=${manifest.sha512}\n`;
  if (!RELEASE_MANIFEST_PATTERN.test(text)) {
    throw new RangeError(`invalid release manifest: ${JSON.stringify(manifest)}`);
  }
  return text;
}

/** Null for any text that `formatReleaseManifest` would not produce. */
export function parseReleaseManifest(text: string): ReleaseManifest | null {
  const match = RELEASE_MANIFEST_PATTERN.exec(text);
  if (!match) {
    return null;
  }
  const [, name = '', version = '', arch = '', size, sha512 = ''] = match;
  return { package: name, version, arch, size: Number(size), sha512 };
}

/** Negative when `a` is older than `b`, 0 when they are equal. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}
