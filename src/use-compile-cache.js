/**
 * For `node --import`, before a command's own file: that is TypeScript too, and one that is in the cache needs no compiler
 * that strips types (start.js says what that costs).
 */
import { useCompileCache } from './compile-cache.js';

useCompileCache();
