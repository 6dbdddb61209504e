/** Documents find one another: each stands in docs/README.md, and what they link to is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Text outside of fences and code. */
const prose = (path: string): string =>
  read(path)
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '');

/** Names of headings, as GitHub makes anchors of them, and anchors that are written out. */
function getAnchors(path: string): Set<string> {
  const text = read(path);
  const headings = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map(
    ([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!)]);
}

/** Addresses that a page links to within the repository. */
const getLinks = (path: string): string[] =>
  [...prose(path).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^(?:[a-z]+:|\/)/i.test(target));

test('docs/README.md names every document', () => {
  const named = new Set(getLinks('docs/README.md'));
  const missing = readdirSync(join(ROOT, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md' && !named.has(name),
  );
  expect(missing).toEqual([]);
});

test.each(PAGES)('what %s links to is there', (page) => {
  const broken = getLinks(page).filter((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== undefined && file.endsWith('.md') && !getAnchors(file).has(anchor);
  });
  expect(broken).toEqual([]);
});

test.each(PAGES)('%s has no conflict markers', (page) => {
  expect(read(page)).not.toMatch(/^(?:<{7}|>{7}) /m);
});

test.each(PAGES)('commands of %s use variables that the page sets', (page) => {
  const commands = [...read(page).matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)]
    .map(([, block]) => block!)
    .join('');
  const unset = ['API', 'KEY', 'BASE_URL'].filter((name) => {
    const use = commands.search(new RegExp(`\\$\\{?${name}\\b`));
    const set = commands.search(new RegExp(`^(.* )?${name}=`, 'm'));
    return use >= 0 && (set < 0 || set > use);
  });
  expect(unset).toEqual([]);
  // Nothing replaces it in the documents, and cURL rejects it.
  expect(commands).not.toContain('{base_url}');
});
