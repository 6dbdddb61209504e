/**
 * The key field of the bar. A pasted key is inserted into every example immediately. It is stored only for this tab
 * (sessionStorage), so that it survives a reload or a visit to the error pages. It is never sent anywhere.
 */
import { faultOfKey } from './api-key.ts';

const STORED = 'fairlead.reference-key';

/** @param useKey called with each new key; null for none. */
export function startKeyBar(useKey: (key: string | null) => void): void {
  const form = document.querySelector<HTMLFormElement>('.key')!;
  const input = document.querySelector<HTMLInputElement>('#key')!;
  const clear = document.querySelector<HTMLButtonElement>('#key-clear')!;
  const state = document.querySelector<HTMLOutputElement>('#key-state')!;
  const hint = state.textContent;
  let used: string | null = null;

  const update = (): void => {
    const text = input.value.trim();
    const fault = text === '' ? null : faultOfKey(text);
    const key = text === '' || fault ? null : text;
    clear.hidden = text === '';
    input.ariaInvalid = String(fault !== null);
    state.textContent = fault ?? (key ? 'In every example. Stays in this tab.' : hint);
    state.dataset.state = fault ? 'fault' : key ? 'used' : 'none';
    if (key === used) return;
    used = key;
    if (key) sessionStorage.setItem(STORED, key);
    else sessionStorage.removeItem(STORED);
    useKey(key);
  };

  form.addEventListener('submit', (event) => event.preventDefault());
  input.addEventListener('input', update);
  clear.addEventListener('click', () => {
    input.value = '';
    update();
    input.focus();
  });
  // Keeps text that was typed before this script ran.
  input.value ||= sessionStorage.getItem(STORED) ?? '';
  update();
}
