import type { Message } from '../../api/types.ts';
import type { Tone } from '../../design/tone.ts';

const TONES: Record<Message['status'], Tone> = {
  scheduled: 'idle',
  queued: 'warn',
  sending: 'warn',
  sent: 'good',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  canceled: 'idle',
  received: 'good',
};

export const messageTone = (status: Message['status']): Tone => TONES[status];
