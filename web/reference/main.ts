/**
 * Entry of the reference. The bar works at once; the reference itself is loaded after the page has been made ready
 * for it, because some of its modules act while they are loaded.
 */
import { startColorScheme } from './color-scheme.ts';
import './fonts.ts';
import { startKeyBar } from './key-bar.ts';
import { prepareForCsp } from './prepare-for-csp.ts';
import './bar.css';

prepareForCsp();
startColorScheme();
const { startReference } = await import('./reference.ts');
const reference = startReference(document.querySelector('#reference')!);
startKeyBar((key) => reference.useKey(key));
