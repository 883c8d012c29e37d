import type { Alert } from '@placard/client';
import { Link } from '@tanstack/react-router';
import { useTexts } from './texts.ts';

/** The name of the screen or the store that an alert is about, as it was then. */
export function useSubjectName(): (alert: Alert) => string {
  const texts = useTexts();
  return ({ subject }) => subject.name ?? texts.severalScreens;
}

/** How many screens an alert concerns, with the way to them: the screen, the store, or the page of the alert. */
export function ScreensLink({ alert: { id, subject, ...alert } }: { alert: Alert }) {
  const texts = useTexts();
  const words = texts.screens(alert.status === 'open' ? alert.devices_affected : alert.devices);
  const look = 'justify-self-start py-1 text-accent underline';
  if (subject.type === 'device' && subject.id !== null) {
    return (
      <Link to="/devices/$deviceId" params={{ deviceId: subject.id }} className={look}>
        {words}
      </Link>
    );
  }
  return subject.type === 'store' && subject.id !== null ? (
    <Link to="/devices" search={{ store: subject.id }} className={look}>
      {words}
    </Link>
  ) : (
    <Link to="/alerts/$alertId" params={{ alertId: id }} className={look}>
      {words}
    </Link>
  );
}
