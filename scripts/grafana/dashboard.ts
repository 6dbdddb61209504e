/**
 * deploy/grafana-dashboard.json: what docs/operating.md says to watch, for Grafana 10 and later. Made by `npm run docs`.
 */
import { LINKS_AND_TRAFFIC } from './links-and-traffic.ts';
import { MACHINE } from './machine.ts';
import { MESSAGES_AND_WEBHOOKS } from './messages-and-webhooks.ts';
import { MODELS } from './models.ts';
import type { Panel } from './queries.ts';

const ROWS: Record<string, Panel[]> = {
  ...LINKS_AND_TRAFFIC,
  ...MESSAGES_AND_WEBHOOKS,
  ...MODELS,
  ...MACHINE,
};

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

function steps([good, bad]: [number, number]): { color: string; value: number | null }[] {
  return good < bad
    ? [
        { color: 'green', value: null },
        { color: 'yellow', value: good },
        { color: 'red', value: bad },
      ]
    : [
        { color: 'red', value: null },
        { color: 'yellow', value: bad },
        { color: 'green', value: good },
      ];
}

function buildPanel(panel: Panel, id: number, gridPos: object): object {
  const { title, unit, queries, describe, kind = 'timeseries', thresholds } = panel;
  return {
    id,
    type: kind,
    title,
    description: describe,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        ...(kind === 'timeseries' ? { custom: { fillOpacity: 8, lineWidth: 1, showPoints: 'never' } } : {}),
        ...(thresholds ? { thresholds: { mode: 'absolute', steps: steps(thresholds) } } : {}),
      },
      overrides: [],
    },
    options:
      kind === 'stat'
        ? {
            reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
            colorMode: thresholds ? 'background' : 'value',
            graphMode: 'area',
            textMode: 'value',
          }
        : {
            legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
            tooltip: { mode: 'multi', sort: 'desc' },
          },
    targets: Object.entries(queries).map(([legend, expr], at) => ({
      refId: String.fromCodePoint(65 + at),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend === '' ? '__auto' : legend,
      range: true,
    })),
  };
}

/** Rows of panels, three beside one another; those of numbers alone six. */
function placed(): object[] {
  const all: object[] = [];
  let y = 0;
  for (const [title, panels] of Object.entries(ROWS)) {
    all.push({
      id: all.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { h: 1, w: 24, x: 0, y },
      panels: [],
    });
    y += 1;
    const [w, h] = panels[0]!.kind === 'stat' ? [4, 4] : [8, 8];
    for (const [at, panel] of panels.entries())
      all.push(
        buildPanel(panel, all.length + 1, { h, w, x: (at * w) % 24, y: y + Math.floor((at * w) / 24) * h }),
      );
    y += Math.ceil((panels.length * w) / 24) * h;
  }
  return all;
}

const variable = (name: string, label: string, query: string): object => ({
  name,
  label,
  type: 'query',
  datasource: DATASOURCE,
  definition: query,
  query: { query, refId: name },
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: ['All'], value: ['$__all'] },
  options: [],
});

export const grafanaDashboard = (): string =>
  `${JSON.stringify(
    {
      uid: 'fairlead',
      title: 'Fairlead',
      tags: ['fairlead'],
      description: 'What docs/operating.md says to watch.',
      schemaVersion: 38,
      version: 1,
      editable: true,
      graphTooltip: 1,
      refresh: '30s',
      time: { from: 'now-6h', to: 'now' },
      timezone: 'browser',
      annotations: { list: [] },
      links: [],
      templating: {
        list: [
          {
            name: 'datasource',
            label: 'Data source',
            type: 'datasource',
            query: 'prometheus',
            refresh: 1,
            current: {},
            options: [],
          },
          variable('job', 'Job', 'label_values(fairlead_database_up, job)'),
          variable('instance', 'Instance', 'label_values(fairlead_database_up{job=~"$job"}, instance)'),
        ],
      },
      panels: placed(),
    },
    null,
    2,
  )}\n`;
