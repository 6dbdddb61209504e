/** Gives the controls that Scalar leaves without a name of their own one, as they appear. */

/** Copy buttons: only an icon, and a hint that is hidden until the pointer is there. */
function nameCopyButtons(root: Element): void {
  for (const button of root.querySelectorAll('.scalar-code-copy:not([aria-label])')) {
    const language = button.querySelector('span span')?.textContent ?? '';
    button.setAttribute('aria-label', `Copy ${language}`.trim());
  }
}

/** They show "Show More" but are named otherwise: who speaks what is seen could not reach them. */
function nameShowMore(root: Element): void {
  for (const button of root.querySelectorAll('.show-more[aria-label^="Show all"]')) {
    const section = button.getAttribute('aria-label')!.replace(/^Show all /, '');
    button.setAttribute('aria-label', `${button.textContent.trim()}: ${section}`);
  }
}

/** One on each operation, named by its tabs, which are alike on most. */
function nameExamples(root: Element): void {
  for (const region of root.querySelectorAll('.response-card[aria-labelledby]')) {
    const title = region.closest('section')?.querySelector('h2, h3, h4')?.textContent.trim();
    if (!title) continue;
    region.removeAttribute('aria-labelledby');
    region.setAttribute('aria-label', `Example responses: ${title}`);
  }
}

/** The filter over a choice: there only while the choice is open. */
function nameFilters(root: Element): void {
  for (const input of root.querySelectorAll('input[role="combobox"]:not([aria-expanded])')) {
    input.setAttribute('aria-expanded', 'true');
    if (!input.hasAttribute('aria-label')) input.setAttribute('aria-label', 'Filter');
  }
}

/** Names what is under `root` now and whatever appears there later. */
export function nameControls(root: Element): void {
  let waiting = false;
  const update = (): void => {
    waiting = false;
    nameCopyButtons(root);
    nameShowMore(root);
    nameExamples(root);
    nameFilters(root);
  };
  new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(update);
  }).observe(root, { childList: true, subtree: true });
}
