import { compileManifest } from '../../core/playback/compiled-manifest.ts';
import type { CompiledManifest } from '../../core/playback/compiled-manifest.ts';
import type { Log } from '../../core/ports.ts';
import type { StoredManifest } from '../../core/stored-manifest.ts';

/** Null for a manifest that cannot be used: it is fetched again, and must not crash the player. */
export function compileStoredManifest(manifest: StoredManifest | null, log: Log): CompiledManifest | null {
  try {
    return manifest && compileManifest(manifest);
  } catch (error) {
    log.error({ revision: manifest?.revision, error: String(error) }, 'manifest.compile_failed');
    return null;
  }
}
