/** The bundle of the API reference: built like the console's, from sources of its own. */
import { fileURLToPath } from 'node:url';
import { type Bundle, ensureBuilt } from '../console/build.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export const REFERENCE: Bundle = {
  name: 'API reference',
  config: path('../../web/reference/vite.config.ts'),
  sources: path('../../web/reference'),
  except: [],
  output: path('../../dist/reference'),
};

/** Builds the reference unless it is up to date. @throws Error with what the build said */
export const ensureReferenceBuilt = (log: { info: (message: string) => void }): Promise<void> =>
  ensureBuilt(REFERENCE, log);
