/**
 * Copies text. `navigator.clipboard` exists only on https and localhost, and this console is also used on plain
 * http in a local network: there a hidden field and the older command do it.
 * @returns whether the text is on the clipboard
 */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => copyByCommand(text),
    );
  }
  return copyByCommand(text);
}

function copyByCommand(text: string): boolean {
  const active = document.activeElement;
  // A dialog traps focus, so the field must stand inside it.
  const host = active?.closest('[role="dialog"]') ?? document.body;
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  host.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (active instanceof HTMLElement) active.focus();
  return copied;
}
