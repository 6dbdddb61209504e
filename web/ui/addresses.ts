/** A short address as people say it: without its scheme, in its own letters. */
export function shownAddress(shortUrl: string): string {
  const bare = shortUrl.replace(/^https?:\/\//, '');
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare; // not percent-encoding: as it is written
  }
}
