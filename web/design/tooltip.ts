/**
 * Tooltips: an element with `data-tip` shows it on hover after a short delay, or on keyboard focus. One listener serves
 * the page, and this module is not loaded with the first page. A tooltip never contains information that is not
 * available elsewhere.
 */
import classes from './tooltip.module.css';

const DELAY_MS = 350;
/** Distance in pixels between a tooltip and its element, and between a tooltip and the edge of the window. */
const GAP = 6;

let shown: HTMLElement | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

const tip = document.createElement('div');
tip.className = classes.tip ?? '';
tip.role = 'tooltip';
tip.id = 'tip';
// In the top layer, so that it is above dialogs too.
tip.popover = 'manual';
document.body.append(tip);

// "Copy" becomes "Copied" while it is looked at.
const changes = new MutationObserver(() => {
  if (shown) show(shown);
});

const DESCRIBED = 'aria-describedby';

/** Says the tip to screen readers, unless it only repeats the name. */
function describe(target: HTMLElement, text: string): void {
  const ids = (target.getAttribute(DESCRIBED) ?? '').split(' ').filter((id) => id && id !== tip.id);
  if (text && text !== target.ariaLabel) ids.push(tip.id);
  if (ids.length > 0) target.setAttribute(DESCRIBED, ids.join(' '));
  else target.removeAttribute(DESCRIBED);
}

function show(target: HTMLElement): void {
  const text = target.dataset['tip'];
  if (!text || !target.isConnected) return hide();
  if (shown !== target) {
    changes.disconnect();
    changes.observe(target, { attributeFilter: ['data-tip'] });
  }
  shown = target;
  tip.textContent = text;
  describe(target, text);
  if (!tip.matches(':popover-open')) tip.showPopover();
  const box = target.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const above = box.top - height - GAP;
  const middle = box.left + box.width / 2 - width / 2;
  tip.style.top = `${above < GAP ? box.bottom + GAP : above}px`;
  tip.style.left = `${Math.max(GAP, Math.min(middle, window.innerWidth - width - GAP))}px`;
}

function hide(): void {
  clearTimeout(timer);
  changes.disconnect();
  if (shown) describe(shown, '');
  shown = null;
  if (tip.matches(':popover-open')) tip.hidePopover();
}

const owner = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null;

document.addEventListener('pointerover', (event) => {
  const target = owner(event.target);
  if (target === shown && target) return;
  hide();
  if (target && event.pointerType !== 'touch') timer = setTimeout(() => show(target), DELAY_MS);
});
document.addEventListener('focusin', ({ target }) => {
  const focused = owner(target);
  if (focused?.matches(':focus-visible')) show(focused);
});
document.addEventListener('focusout', hide);
document.addEventListener('scroll', hide, { capture: true, passive: true });
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') hide();
});
