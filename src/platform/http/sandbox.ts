/** Content-Security-Policy of bytes that came from outside: no browser runs or embeds anything of them on this origin. */
export const SANDBOX = "default-src 'none'; frame-ancestors 'none'; sandbox";
