/**
 * Entry of the reference. The server's first view and the bar work immediately; the full reference is loaded after the
 * page has been made ready for it, because some of its modules act while they are loaded.
 */
import { startColorScheme } from './color-scheme.ts';
import { coverReference } from './first-view.ts';
import './fonts.ts';
import { startKeyBar } from './key-bar.ts';
import { prepareForCsp } from './prepare-for-csp.ts';
import './bar.css';
import './first-view.css';

prepareForCsp();
startColorScheme();
const element = document.querySelector<HTMLElement>('#reference')!;
const firstView = coverReference(document.querySelector('#first-view')!, element);
const { startReference } = await import('./reference.ts');
const reference = startReference(element);
startKeyBar((key) => reference.useKey(key));
await firstView.uncover();
