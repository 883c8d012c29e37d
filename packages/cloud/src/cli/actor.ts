import { userInfo } from 'node:os';

/** Who changes something on the command line, as the audit log tells it; `actor_id` is the user of the machine. */
export const commandLineActor = () => ({
  actor_type: 'command_line',
  actor_id: userName(),
  actor_name: 'command line',
  address: null,
  request_id: null,
});

function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return null;
  }
}
