/**
 * Covers the full reference with the server's first view until the reference has rendered. The reference lays itself
 * out in the page below, so nothing moves when the cover goes: the reader then sees the section that they were reading.
 */

/** How long the section that the reader is at may take to render in the full reference. */
const MAX_WAIT_MS = 5_000;
/** Scalar puts the document's name before each anchor. */
const PREFIX = 'api-1/';

const nextFrame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));

/** Returns the anchor of the section at the top of the view; null at the beginning. */
function anchorAtTop(view: Element): string | null {
  const line = view.getBoundingClientRect().top + 80;
  const above = [...view.querySelectorAll('.first-main [id]')].filter(
    (section) => section.getBoundingClientRect().top <= line,
  );
  return view.scrollTop > 0 ? (above.at(-1)?.id ?? null) : null;
}

/** Leads to the operation of a schema property's anchor: the first view has no properties. */
function goToOperation(view: Element): void {
  let anchor = decodeURIComponent(location.hash.slice(1));
  while (anchor.includes('.') && !document.getElementById(anchor))
    anchor = anchor.slice(0, anchor.lastIndexOf('.'));
  const section = document.getElementById(anchor);
  if (section && view.contains(section)) section.scrollIntoView();
}

export interface FirstView {
  /** Waits until the full reference has rendered the section that the reader is at, and shows it. */
  uncover(): Promise<void>;
}

export function coverReference(view: Element, reference: HTMLElement): FirstView {
  const read = window.scrollY;
  view.classList.add('covering');
  view.scrollTop = read;
  if (read === 0) goToOperation(view);
  // A scrollable area takes keys only with the focus.
  view.setAttribute('tabindex', '-1');
  if (document.activeElement === document.body) (view as HTMLElement).focus({ preventScroll: true });
  reference.inert = true;
  let scrolled = false;
  const start = view.scrollTop;
  view.addEventListener('scroll', () => (scrolled ||= Math.abs(view.scrollTop - start) > 2));

  const uncover = async (): Promise<void> => {
    while (!reference.querySelector('h1')) await nextFrame();
    const anchor = scrolled ? anchorAtTop(view) : decodeURIComponent(location.hash.slice(1));
    if (scrolled) {
      history.replaceState({}, '', anchor ? `#${anchor}` : location.pathname);
      dispatchEvent(new PopStateEvent('popstate'));
    }
    for (const end = performance.now() + MAX_WAIT_MS; anchor && performance.now() < end; await nextFrame()) {
      const top = document.getElementById(PREFIX + anchor)?.getBoundingClientRect().top ?? Infinity;
      if (top > -50 && top < 200) break;
    }
    await nextFrame();
    reference.inert = false;
    view.remove();
  };
  return { uncover };
}
