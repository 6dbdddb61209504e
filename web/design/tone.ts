/** How good a state is, as a color. */
export type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'live';

export const TONES: Record<Tone, string> = {
  good: 'light-dark(#1a8f5a, #3ecf8e)',
  live: 'var(--mantine-color-sea-5)',
  warn: 'light-dark(#c77700, #f0b04a)',
  bad: 'light-dark(#c92a2a, #ff7b7b)',
  idle: 'light-dark(#8b949e, #98a1ab)',
};
