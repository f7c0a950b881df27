import { type ExploreOptions, explore } from './explore.js';
import type { Manifest } from './manifest.js';

export type DiscoverOptions = ExploreOptions;

/** The manifest of scripts and folders; a script that cannot be read or parsed is an error. */
export async function discover(paths: string | readonly string[], options: DiscoverOptions = {}): Promise<Manifest> {
  const { manifest, problems } = await explore(typeof paths === 'string' ? [paths] : paths, options);
  for (const { error } of problems) throw error;
  return manifest;
}
