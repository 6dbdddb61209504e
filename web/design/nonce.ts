/** The nonce of the page's Content-Security-Policy, for libraries that add style elements. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
