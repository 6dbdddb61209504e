/**
 * Makes the page ready for modules that were not written for a strict Content-Security-Policy. The policy stays strict:
 * injected markup still gets no style and no script. Must run before those modules are loaded.
 */
declare global {
  /** zod's. */
  var __zod_globalConfig: { jitless?: boolean } | undefined;
}

export function prepareForCsp(): void {
  // zod tries out `Function('')` to find out whether it may compile; that alone is reported as a violation.
  globalThis.__zod_globalConfig = { ...globalThis.__zod_globalConfig, jitless: true };

  // A <style> that a script makes needs the page's nonce as soon as it is in the document.
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
  if (!nonce) return;
  const { createElement } = Document.prototype;
  Document.prototype.createElement = function (
    this: Document,
    name: string,
    options?: ElementCreationOptions,
  ) {
    const element = createElement.call(this, name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
}
