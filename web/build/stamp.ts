/** Build step: leaves the print of the sources beside the output, last of all, so that half a build has none. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { HASH_FILE } from '../../src/console/source-hash.ts';

/** @param hash print of the sources as they were when the build began. */
export function stamp(hash: string): Plugin {
  return {
    name: 'fairlead:stamp',
    apply: 'build',
    writeBundle: {
      order: 'post',
      sequential: true,
      handler({ dir }) {
        if (dir) writeFileSync(join(dir, HASH_FILE), hash);
      },
    },
  };
}
