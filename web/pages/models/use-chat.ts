/** A conversation with one model, kept while the page is open. */
import { useEffect, useRef, useState } from 'react';
import { streamChat, type ChatMessage } from '../../api/models.ts';

export interface ShownMessage extends ChatMessage {
  id: number;
}

export interface ChatState {
  messages: ShownMessage[];
  /** The answer is coming. */
  running: boolean;
  error: unknown;
  send: (text: string) => void;
  /** Ends the answer where it is; what has come stays. */
  stop: () => void;
  clear: () => void;
}

export function useChat(workspaceId: string, model: string): ChatState {
  const [messages, setMessages] = useState<ShownMessage[]>([]);
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const run = async (conversation: ShownMessage[]) => {
    const controller = new AbortController();
    abort.current = controller;
    const id = conversation.length;
    setMessages([...conversation, { id, role: 'assistant', content: '' }]);
    setRunning(true);
    setError(null);
    let answer = '';
    let frame = 0;
    const show = () => {
      frame = 0;
      setMessages([...conversation, { id, role: 'assistant', content: answer }]);
    };
    // A fast model writes thousands of pieces a second; the page needs one picture a frame.
    const add = (text: string) => {
      answer += text;
      frame ||= requestAnimationFrame(show);
    };
    try {
      const sent = conversation.map(({ role, content }) => ({ role, content }));
      await streamChat(workspaceId, { model, messages: sent }, add, controller.signal);
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    }
    cancelAnimationFrame(frame);
    if (answer === '') setMessages(conversation);
    else show();
    setRunning(false);
  };

  return {
    messages,
    running,
    error,
    send: (text) => {
      const content = text.trim();
      if (content !== '' && !running) void run([...messages, { id: messages.length, role: 'user', content }]);
    },
    stop: () => abort.current?.abort(),
    clear: () => {
      abort.current?.abort();
      setMessages([]);
      setError(null);
    },
  };
}
