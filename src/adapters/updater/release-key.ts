/**
 * The public half of the key that releases are signed with; the same as in `build/linux/update-key.pem`. Both are
 * written by `npm run release:keygen`. Null: nobody holds a key yet, and a player built like this takes no updates.
 */
export const RELEASE_KEY_PEM: string | null = null;
