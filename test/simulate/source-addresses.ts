/** The addresses of an IPv4 network such as `127.1.0.0/24`; null when it is not one, or too large to list. */
export function listAddresses(network: string): string[] | null {
  const parts = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(network)?.slice(1).map(Number);
  if (!parts) {
    return null;
  }
  const bits = parts.pop() ?? 0;
  if (bits < 16 || bits > 31 || parts.some((part) => part > 255)) {
    return null;
  }
  const size = 2 ** (32 - bits);
  const number = parts.reduce((sum, part) => sum * 256 + part, 0);
  const first = number - (number % size);
  return Array.from({ length: size }, (_, index) =>
    [24, 16, 8, 0].map((shift) => Math.floor((first + index) / 2 ** shift) % 256).join('.'),
  );
}
