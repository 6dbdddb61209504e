/** HTML from the Markdown that descriptions use: headings, paragraphs, lists, links, bold, and code. */

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** Renders the inline elements of one block. */
export function renderInline(text: string): string {
  let html = '';
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, bold, label, href] = match;
    html += escapeHtml(text.slice(end, match.index));
    if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`;
    else if (bold !== undefined) html += `<strong>${escapeHtml(bold)}</strong>`;
    else html += `<a href="${escapeHtml(href!)}">${renderInline(label!)}</a>`;
    end = match.index + whole.length;
  }
  return html + escapeHtml(text.slice(end));
}

/** Returns the anchor that a heading or tag has: lower case, with hyphens. */
export const toSlug = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

function renderBlock(block: string): string {
  const heading = /^(#{2,4}) (.+)$/.exec(block);
  if (heading) {
    const [, { length: level } = '', text = ''] = heading;
    return `<h${level} id="description/${toSlug(text)}">${renderInline(text)}</h${level}>`;
  }
  if (!/^[-*] /.test(block)) return `<p>${renderInline(block.replaceAll('\n', ' '))}</p>`;
  const items = block.split(/^[-*] /m).filter(Boolean);
  return `<ul>${items.map((item) => `<li>${renderInline(item.trim().replaceAll('\n', ' '))}</li>`).join('')}</ul>`;
}

export const renderMarkdown = (text: string): string =>
  text
    .trim()
    .split(/\n{2,}/)
    .map(renderBlock)
    .join('\n');
