/** `npm run build`: builds every bundle that doesn't match its sources. `-- pages`: only console and API reference. */
import { ensureAllBuilt, ensurePagesBuilt } from './build/bundles.js';

const log = { info: (message: string) => console.log(message) };
await (process.argv[2] === 'pages' ? ensurePagesBuilt(log) : ensureAllBuilt(log));
