/**
 * `npm run docs`: docs/errors.md from the catalogue of errors, docs/configuration.md from the table of settings,
 * docs/channels.md from what conformance tests saw of each channel, deploy/grafana-dashboard.json from scripts/grafana.
 * `--check` compares instead.
 */
import { readdir, readFile } from 'node:fs/promises';
import { SETTINGS } from '../src/platform/config/config.ts';
import { ERRORS } from '../src/platform/http/errors.ts';
import { channelsMarkdown } from '../test/conformance/suite/channels-page.ts';
import type { ChannelResults } from '../test/conformance/suite/results.ts';
import { errorsByStatus, statusName } from '../src/app/reference/errors-page.ts';
import { writeOrCheck } from './generated-file.ts';
import { grafanaDashboard } from './grafana/dashboard.ts';

const generated = (source: string): string =>
  `<!-- Made by \`npm run docs\` from ${source}: change it there. -->`;

/** Text for a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export function errorsMarkdown(): string {
  const sections = errorsByStatus().map(([status, codes]) => {
    const rows = codes.map((code) => {
      const { title, help } = ERRORS[code];
      return `| <a id="${code}"></a>\`${code}\` | ${cell(title)} | ${cell(help)} |`;
    });
    return [
      `## ${statusName(status)}`,
      '',
      '| code | title | what it means, what to do |',
      '| --- | --- | --- |',
      ...rows,
    ].join('\n');
  });
  return `${generated('src/platform/http/errors.ts')}

# Errors

Every error is answered as \`application/problem+json\` (RFC 9457), whatever the request accepts: \`type\` (its place on
the server's own page \`/docs/errors\`), \`title\`, \`status\`, \`detail\`, \`code\`, \`request_id\`, and \`errors\` with every
fault at once. Branch on \`code\`: codes are added, never renamed. 400 means that the shape is wrong, 422 that the
request is well formed but refused.

${sections.join('\n\n')}
`;
}

export function configurationMarkdown(): string {
  const rows = Object.entries(SETTINGS).map(
    ([name, { fallback, describe }]) =>
      `| \`${name}\` | ${fallback ? `\`${fallback}\`` : ''} | ${cell(describe)} |`,
  );
  return `${generated('src/platform/config/config.ts')}

# Configuration

Settings come from the environment and are checked at start: a value that can't be used is refused with one line that
names the setting and says what is allowed. \`fairlead --help\` shows the same list.

| setting | default | meaning |
| --- | --- | --- |
${rows.join('\n')}
`;
}

const CHANNELS = 'docs/channels';

/** What the conformance tests of all channels saw. */
export async function channelResults(): Promise<ChannelResults[]> {
  const files = (await readdir(CHANNELS)).filter((name) => name.endsWith('.json')).toSorted();
  const results = await Promise.all(files.map((name) => readFile(`${CHANNELS}/${name}`, 'utf8')));
  return results.map((text) => JSON.parse(text) as ChannelResults);
}

if (import.meta.main) {
  await writeOrCheck('docs/errors.md', errorsMarkdown(), 'docs');
  await writeOrCheck('docs/configuration.md', configurationMarkdown(), 'docs');
  await writeOrCheck('docs/channels.md', channelsMarkdown(await channelResults()), 'docs');
  await writeOrCheck('deploy/grafana-dashboard.json', grafanaDashboard(), 'docs');
}
