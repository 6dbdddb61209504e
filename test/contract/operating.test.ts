/** docs/operating.md, the alerts and the dashboard speak of the metrics, checks and log lines that there are, and of all. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { grafanaDashboard } from '../../scripts/grafana/dashboard.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { readPage } from '../support/fenced.ts';
import { metricsIn, readMetrics, type Told } from '../support/promql.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string; refId: string }[];
}

let app: TestApp;
let told: Map<string, Told>;
let page: string;
beforeAll(async () => {
  app = await startTestApp();
  // What is told by route needs an answer first.
  await app.call('/models');
  told = readMetrics(await (await fetch(`${app.base}/metrics`)).text());
  page = readPage('operating.md');
});
afterAll(() => app.stop());

/** @throws where the expression names what there is not, or what has another type or other labels */
function expectNames(expression: string): void {
  const named = metricsIn(expression);
  for (const { metric, labels, isRate } of named) {
    const base = metric.replace(/_(?:bucket|sum|count)$/, '');
    const found = told.get(metric) ?? told.get(base);
    expect(found, `${metric} in ${expression}`).toBeDefined();
    const isHistogram = found!.type === 'histogram';
    expect(isHistogram, `${metric} in ${expression}`).toBe(metric !== base && !told.has(metric));
    expect(isRate, `rate of ${metric} in ${expression}`).toBe(found!.type !== 'gauge');
    if (found!.hasSeries && named.length === 1)
      expect([...found!.labels, 'le'], `labels of ${metric} in ${expression}`).toEqual(
        expect.arrayContaining(labels),
      );
  }
}

describe('the page', () => {
  test('has every metric, under its type, and no other', () => {
    const rows = [...page.matchAll(/^\| (`[a-z].*?) \| (counter|gauge|histogram) \|/gm)];
    const documented = rows.flatMap(([, names, type]) =>
      [...names!.matchAll(/`([a-z0-9_]+)`/g)].map(([, name]) => `${name} ${type}`),
    );
    expect(documented.toSorted()).toEqual([...told].map(([name, { type }]) => `${name} ${type}`).toSorted());
  });

  test('names only metrics that there are', () => {
    const named = [...page.matchAll(/`((?:fairlead|http|process|nodejs)_[a-z0-9_]+[a-z0-9])`/g)];
    const unknown = named.map(([, name]) => name!).filter((name) => !told.has(name));
    expect(unknown).toEqual([]);
  });

  test('has every part of /readyz', async () => {
    const { checks } = (await (await fetch(`${app.base}/readyz`)).json()) as { checks: object };
    const parts = [...page.matchAll(/^\| `([a-z]+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, name]) => name!);
    // Only where files are in a bucket.
    expect(parts.toSorted()).toEqual([...Object.keys(checks), 'media'].toSorted());
  });

  test('quotes lines of the log as they are written', async () => {
    const section = page.slice(page.indexOf('## The log'), page.indexOf('## Troubleshooting'));
    const lines = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, line]) => line!);
    expect(lines.length).toBeGreaterThan(15);
    const quoted = lines.filter((line) => line !== 'msg');
    const findInSource = (texts: readonly string[]): Set<string> =>
      new Set(
        execFileSync(
          'git',
          ['grep', '-ohF', '--untracked', ...texts.flatMap((text) => ['-e', text]), '--', 'src'],
          { cwd: ROOT, encoding: 'utf8' },
        ).split('\n'),
      );
    // The runtime of queues (src/platform/queue/) writes the name of the queue before its lines.
    const splitName = (line: string): string[] => {
      const [name, rest] = line.split(/: (.*)/s);
      return [`name: '${name}'`, `\${name}: ${rest}`];
    };
    const parts = new Map(quoted.map((line) => [line, splitName(line)]));
    const written = findInSource([...quoted, ...[...parts.values()].flat()]);
    const missing = quoted.filter(
      (line) => !written.has(line) && !parts.get(line)!.every((part) => written.has(part)),
    );
    expect(missing).toEqual([]);
  });
});

test('the alerts name only metrics that there are, as what they are', async () => {
  const { groups } = parse(await read('deploy/prometheus-alerts.yaml')) as {
    groups: { name: string; rules: Record<string, unknown>[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(20);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, expr, labels, annotations } of rules) {
    expect(labels, String(alert)).toMatchObject({ severity: expect.stringMatching(/^(page|ticket)$/) });
    expect(annotations, String(alert)).toMatchObject({ summary: expect.any(String) });
    // A change of a gauge over time is asked for by `changes`, and by `min_over_time` and `predict_linear`.
    expectNames(String(expr));
  }
});

describe('the dashboard', () => {
  const dashboard = JSON.parse(grafanaDashboard()) as { panels: Panel[] };

  test('is current; else: npm run docs', async () => {
    expect(await read('deploy/grafana-dashboard.json')).toBe(grafanaDashboard());
  });

  test('names only metrics that there are, as what they are', () => {
    const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(60);
    for (const expression of expressions) expectNames(expression.replaceAll('$__rate_interval', '5m'));
  });

  test('shows every metric of ours', () => {
    const shown = new Set(
      dashboard.panels.flatMap(({ targets = [] }) =>
        targets.flatMap(({ expr }) => metricsIn(expr).map(({ metric }) => metric)),
      ),
    );
    const ours = [...told.keys()].filter((name) => name.startsWith('fairlead_'));
    const hidden = ours.filter(
      (name) => ![name, `${name}_bucket`, `${name}_count`].some((one) => shown.has(one)),
    );
    expect(hidden).toEqual([]);
  });

  test('has panels that lie beside one another, each with an ID of its own', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { gridPos: a, title, id } of panels)
      for (const { gridPos: b, id: other } of panels) {
        const overlap = a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
        expect(overlap && id !== other, title).toBe(false);
      }
  });
});
