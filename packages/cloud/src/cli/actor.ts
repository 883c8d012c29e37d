import { userInfo } from 'node:os';

/** The actor of command-line changes in the audit log; `actor_id` is the operating system user. */
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
    // In a container the user id may have no name.
    return null;
  }
}
