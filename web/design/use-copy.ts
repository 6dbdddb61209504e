/** State of a copy button: the result of the last press, shown briefly. */
import { useEffect, useState } from 'react';
import { copyText } from './copy.ts';

const SHOWN_MS = 1500;

export function useCopy(): { state: 'idle' | 'copied' | 'failed'; copy: (text: string) => Promise<void> } {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return { state, copy: async (text) => setState((await copyText(text)) ? 'copied' : 'failed') };
}
