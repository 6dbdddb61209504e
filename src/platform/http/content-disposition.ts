/** How an answer that is a file says what it is saved as. */

/** A Content-Disposition with the name in plain ASCII and in full (RFC 6266, RFC 5987). */
export function contentDisposition(kind: 'inline' | 'attachment', name: string | null): string {
  if (name === null) return kind;
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const full = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${full}`;
}
