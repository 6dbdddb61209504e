/**
 * The first file of the process. It is JavaScript, so that any Node can run it: one that is too old is told so, and one
 * that finds all the rest in its cache never loads the compiler that strips types, which takes 15 MiB.
 */
import { useCompileCache } from './compile-cache.js';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `Fairlead needs Node 24.7 or newer; this is ${process.version}. Run it with "npm start", which uses the Node that "npm install" brings, or install Node 24.`,
  );
  process.exit(1);
}
useCompileCache();
await import('./main.ts');
