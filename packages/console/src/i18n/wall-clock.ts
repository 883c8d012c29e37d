/** Milliseconds that the clocks of a zone are ahead of UTC at an instant. */
function offsetAt(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(ms);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value ?? 0);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return local - Math.floor(ms / 60_000) * 60_000;
}

/** The instant (ISO) of `YYYY-MM-DDTHH:MM` on the clocks of a zone; null for another text. A skipped hour counts as after the change. */
export function instantOf(local: string, timeZone: string): string | null {
  const asUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local) ? Date.parse(`${local}:00Z`) : Number.NaN;
  if (Number.isNaN(asUtc)) {
    return null;
  }
  const guess = asUtc - offsetAt(asUtc, timeZone);
  return new Date(asUtc - offsetAt(guess, timeZone)).toISOString();
}

/** `YYYY-MM-DDTHH:MM` of an instant on the clocks of a zone. */
export const wallClockOf = (ms: number, timeZone: string): string =>
  new Date(ms + offsetAt(ms, timeZone)).toISOString().slice(0, 16);

/** The Monday `YYYY-MM-DD` of the week in which a day is. */
export function mondayOf(day: string): string {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return addDays(day, -((new Date(ms).getUTCDay() + 6) % 7));
}

/** The day `YYYY-MM-DD` some days later. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
