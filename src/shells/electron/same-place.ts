/** Whether an address belongs to the same loopback server as the page that was opened. */
export function samePlace(address: string, home: string): boolean {
  return URL.canParse(address) && URL.canParse(home) && new URL(address).origin === new URL(home).origin;
}
