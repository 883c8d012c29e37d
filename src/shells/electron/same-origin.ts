/** Whether an address belongs to the same loopback server as the opened page. */
export function isSameOrigin(address: string, pageUrl: string): boolean {
  return (
    URL.canParse(address) && URL.canParse(pageUrl) && new URL(address).origin === new URL(pageUrl).origin
  );
}
