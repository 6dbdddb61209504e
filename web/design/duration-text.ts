import { language, t } from '../copy/text.ts';

const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

/** Formats milliseconds: "84 ms", "1.2 s". */
export const formatDuration = (ms: number): string =>
  ms < 1000 ? t('{ms} ms', { ms }) : t('{seconds} s', { seconds: number.format(ms / 1000) });
