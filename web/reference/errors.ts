/** Entry of the page of errors: the server writes the page, so there is only the bar to start. */
import { startColorScheme } from './color-scheme.ts';
import './fonts.ts';
import './bar.css';
import './errors.css';

startColorScheme();
