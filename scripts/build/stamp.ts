/** Build plugin that writes the hash of the sources into the output, last of all: an unfinished build has none. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { HASH_FILE } from './source-hash.js';

/** @param hash of the sources when the build began */
export function stamp(hash: string): Plugin {
  return {
    name: 'fairlead:stamp',
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler({ dir }) {
        if (dir) await writeFile(join(dir, HASH_FILE), hash);
      },
    },
  };
}
