/**
 * Sets the light or dark color scheme with the classes of the reference's styles. The choice is shared with the
 * console. Only this module may change it: other changes of the classes, such as the reference's own when the system
 * preference changes, are reverted.
 */
const STORED = 'mantine-color-scheme-value';
const system = matchMedia('(prefers-color-scheme: dark)');

type Scheme = 'light' | 'dark';

/** The scheme that the reader chose, else the system's. */
export function currentScheme(): Scheme {
  const stored = localStorage.getItem(STORED);
  if (stored === 'light' || stored === 'dark') return stored;
  return system.matches ? 'dark' : 'light';
}

function apply(button: HTMLElement): void {
  const scheme = currentScheme();
  const { classList } = document.body;
  if (!classList.contains(`${scheme}-mode`)) classList.add(`${scheme}-mode`);
  const other = scheme === 'dark' ? 'light' : 'dark';
  if (classList.contains(`${other}-mode`)) classList.remove(`${other}-mode`);
  const label = `Switch to ${other} colors`;
  if (button.getAttribute('aria-label') !== label) button.setAttribute('aria-label', label);
}

/** Follows the choice, and lets the bar's button change it. */
export function startColorScheme(): void {
  const button = document.querySelector<HTMLElement>('#scheme')!;
  const update = () => apply(button);
  update();
  button.addEventListener('click', () => {
    localStorage.setItem(STORED, currentScheme() === 'dark' ? 'light' : 'dark');
    update();
  });
  system.addEventListener('change', update);
  addEventListener('storage', update);
  new MutationObserver(update).observe(document.body, { attributeFilter: ['class'] });
}
