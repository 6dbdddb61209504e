/** Keeps the conversation with one model while the page is open. */
import { useEffect, useRef, useState } from 'react';
import { type ChatChunk, type ChatUsage, streamChat, type ToolCall } from '../../api/models.ts';
import type { Turn } from './playground-request.ts';

/** The timing of a response, in milliseconds since the call. */
export interface Measured {
  firstByteMs: number | null;
  totalMs: number;
  usage: ChatUsage | null;
  /** ID of the model that answered. */
  model: string | null;
}

export interface ShownTurn extends Turn {
  id: number;
  /** Of a response that is complete, or was stopped. */
  measured: Measured | null;
}

export interface ChatState {
  turns: readonly ShownTurn[];
  /** Whether a response is being streamed. */
  running: boolean;
  error: unknown;
  /** @param toBody builds the request from the conversation */
  send: (turn: Turn, toBody: (turns: readonly Turn[]) => object) => void;
  /** Stops the response and keeps its text so far. */
  stop: () => void;
  clear: () => void;
}

/** Adds the tool calls of a chunk. */
function withToolCalls(calls: readonly ToolCall[], { choices }: ChatChunk): readonly ToolCall[] {
  const deltas = choices?.[0]?.delta?.tool_calls ?? [];
  if (deltas.length === 0) return calls;
  const next = [...calls];
  for (const { index = 0, id, function: part } of deltas) {
    const before = next[index] ?? { id: '', name: '', arguments: '' };
    next[index] = {
      id: id ?? before.id,
      name: before.name + (part?.name ?? ''),
      arguments: before.arguments + (part?.arguments ?? ''),
    };
  }
  return next;
}

const EMPTY = { role: 'assistant' as const, text: '', images: [], toolCalls: [], measured: null };

export function useChat(workspaceId: string): ChatState {
  const [turns, setTurns] = useState<readonly ShownTurn[]>([]);
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const run = async (conversation: readonly ShownTurn[], body: object) => {
    const controller = new AbortController();
    abort.current = controller;
    let answer: ShownTurn = { ...EMPTY, id: conversation.length };
    let usage: ChatUsage | null = null;
    let firstByteMs: number | null = null;
    let model: string | null = null;
    let frame = 0;
    const begin = performance.now();
    const show = () => {
      frame = 0;
      setTurns([...conversation, answer]);
    };
    show();
    setRunning(true);
    setError(null);
    // A fast model streams thousands of chunks a second; renders once per frame.
    const add = (chunk: ChatChunk) => {
      firstByteMs ??= performance.now() - begin;
      usage = chunk.usage ?? usage;
      answer = {
        ...answer,
        text: answer.text + (chunk.choices?.[0]?.delta?.content ?? ''),
        toolCalls: withToolCalls(answer.toolCalls, chunk),
      };
      frame ||= requestAnimationFrame(show);
    };
    try {
      model = await streamChat(workspaceId, body, add, controller.signal);
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    }
    cancelAnimationFrame(frame);
    // Cleared meanwhile, or another call was made.
    if (abort.current !== controller) return;
    const isNothing = answer.text === '' && answer.toolCalls.length === 0;
    if (isNothing && firstByteMs === null) setTurns(conversation);
    else {
      const totalMs = performance.now() - begin;
      setTurns([...conversation, { ...answer, measured: { firstByteMs, totalMs, usage, model } }]);
    }
    setRunning(false);
  };

  return {
    turns,
    running,
    error,
    send: (turn, toBody) => {
      if (running) return;
      const conversation = [...turns, { ...turn, id: turns.length, measured: null }];
      void run(conversation, toBody(conversation));
    },
    stop: () => abort.current?.abort(),
    clear: () => {
      abort.current?.abort();
      abort.current = null;
      setTurns([]);
      setError(null);
      setRunning(false);
    },
  };
}
