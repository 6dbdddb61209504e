/** A short link as people say it: without its scheme, in its own letters. */
export function shownAddress(shortUrl: string): string {
  const bare = shortUrl.replace(/^https?:\/\//, '');
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare; // not valid percent-encoding: shown as written
  }
}

/** Returns a URL as the user means it: `example.com/a` becomes `https://example.com/a`. */
export function withScheme(typed: string): string {
  const url = typed.trim();
  return /^[\p{L}\d][\p{L}\d-]*(\.[\p{L}\d-]+)+(:\d+)?([/?#]|$)/u.test(url) ? `https://${url}` : url;
}
