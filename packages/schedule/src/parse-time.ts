/** `HH:MM` to minutes after midnight, `24:00` included; null for anything else. */
export function parseTime(text: string): number | null {
  const match = /^(\d{2}):(\d{2})$/.exec(text);
  if (!match) {
    return null;
  }
  const [hours, minutes] = [Number(match[1]), Number(match[2])];
  if (hours === 24 && minutes === 0) {
    return 1440;
  }
  return hours <= 23 && minutes <= 59 ? hours * 60 + minutes : null;
}
