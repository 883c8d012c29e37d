/**
 * Public half of the key that signs releases; the same as in `build/linux/update-key.pem`. Both are written by `npm
 * run release:keygen`. Null: there is no key yet, and a player built like this accepts no updates.
 */
export const RELEASE_KEY_PEM: string | null = null;
