/**
 * Replaces `react` and `react-dom` for the console and its libraries with Preact's React API, which is 60 kB smaller.
 * web/vite.config.ts sets the alias. Types are React's. The rest adds behavior of React that Preact lacks and that the
 * console or Mantine relies on.
 */
import { options, type VNode } from 'preact';
import type { ReactNode } from 'react';

// @ts-expect-error -- its types are one object, which no other module can export
export * from 'preact/compat';
export { default } from 'preact/compat';

/**
 * Mantine's transitions and collapsing components use it for `keepMounted`, which the console doesn't use. This one
 * drops the state of hidden children.
 */
export const Activity = ({ mode, children }: { mode?: 'visible' | 'hidden'; children?: ReactNode }) =>
  mode === 'hidden' ? null : children;

// Runs pending effects before the next render. Preact only keeps this order within a component: otherwise an effect of
// a child could report an outdated value to a parent that has already rendered again, and two that keep each other's
// value, such as those of number inputs, would exchange the old and the new one forever.
const FRAME_MS = 35;
let effects: (() => void) | undefined;
const runEffects = () => {
  const run = effects;
  effects = undefined;
  run?.();
};
options.requestAnimationFrame = (run) => {
  effects = run;
  // No frames are drawn while the page is hidden.
  const timeout = setTimeout(painted, FRAME_MS);
  const frame = requestAnimationFrame(painted);
  function painted() {
    clearTimeout(timeout);
    cancelAnimationFrame(frame);
    setTimeout(runEffects);
  }
};
options.debounceRendering = (render) =>
  queueMicrotask(() => {
    try {
      runEffects();
    } finally {
      render();
    }
  });

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
type FieldProps = Partial<Record<'value' | 'checked' | 'type' | 'multiple', unknown>>;

/** Props that each field was last rendered with. */
const rendered = new WeakMap<EventTarget, FieldProps>();
/** Props of fields that receive the focus when they appear. */
const focused = new WeakSet<object>();
const isField = ({ type }: VNode) => type === 'input' || type === 'textarea' || type === 'select';

const { vnode: madeNode, diffed, event: toEvent } = options;
options.vnode = (node) => {
  madeNode?.(node);
  const props = node.props as { autoFocus?: boolean };
  if (!isField(node) || !props.autoFocus) return;
  // As an attribute, browsers heed it once in a page's life.
  delete props.autoFocus;
  focused.add(props);
};
options.diffed = (node) => {
  diffed?.(node);
  const { __e: field } = node as VNode & { __e?: Field | null };
  if (!field || !isField(node)) return;
  // It is in the page when all is rendered.
  if (!rendered.has(field) && focused.has(node.props)) queueMicrotask(() => field.focus());
  rendered.set(field, node.props as FieldProps);
};

/** Restores the value that a field was last rendered with, if it differs. */
function restore(field: Field): void {
  const { value, checked, type, multiple } = rendered.get(field) ?? {};
  if (typeof checked === 'boolean' && 'checked' in field) field.checked = checked;
  const isText = type !== 'checkbox' && type !== 'radio' && type !== 'file' && type !== 'number' && !multiple;
  if (isText && (typeof value === 'string' || typeof value === 'number') && field.value !== String(value))
    field.value = String(value);
}

// A field shows its `value` or `checked` even if the handler of a change declined it, and nothing was rendered.
options.event = (event) => {
  const field = event.target as Field | null;
  if (field && /^(input|change|click)$/.test(event.type) && rendered.has(field)) {
    // After all handlers have run and their changes are rendered.
    setTimeout(() => {
      restore(field);
      // One of a group takes the mark of another.
      if (field.type === 'radio')
        for (const other of document.getElementsByName(field.name)) restore(other as Field);
    });
  }
  return toEvent?.(event) ?? event;
};
