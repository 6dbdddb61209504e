/** What an expression in PromQL names: enough of it for the expressions that we ship. */

const METRIC = /\b(?:fairlead|http|process|nodejs)_[a-z0-9_]+/g;

export interface Named {
  metric: string;
  /** Names of labels in its braces, or that a sum of it goes by. */
  labels: string[];
  /** `rate`, `increase` and their like stand before it. */
  isRate: boolean;
}

const RATES = /\b(?:rate|increase|irate)\($/;
/** Of the scrape, or of Prometheus. */
const NOT_OURS = new Set(['job', 'instance', 'le']);

/** Every metric that an expression names, once for each time. */
export function metricsIn(expression: string): Named[] {
  const by = [...expression.matchAll(/\b(?:by|without|on)\s*\(([^)]*)\)/g)].flatMap((match) =>
    match[1]!.split(',').map((label) => label.trim()),
  );
  return [...expression.matchAll(METRIC)].map((match) => {
    const rest = expression.slice(match.index + match[0].length);
    const braces = /^\s*\{([^}]*)\}/.exec(rest)?.[1] ?? '';
    const labels = [...braces.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map((label) => label[1]!);
    return {
      metric: match[0],
      labels: [...labels, ...by].filter((label) => !NOT_OURS.has(label)),
      isRate: RATES.test(expression.slice(0, match.index)),
    };
  });
}

export interface Told {
  type: string;
  /** Names of labels that its series have; none where it has no series yet. */
  labels: Set<string>;
  hasSeries: boolean;
}

/** What a text in Prometheus's form tells, by metric. */
export function readMetrics(text: string): Map<string, Told> {
  const told = new Map<string, Told>();
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    told.set(name!, { type: type!, labels: new Set(), hasSeries: false });
  for (const [, series, braces = ''] of text.matchAll(/^([a-z][a-z0-9_]*)(?:\{(.*)\})? \S+$/gm)) {
    const found = told.get(series!) ?? told.get(series!.replace(/_(?:bucket|sum|count)$/, ''));
    if (!found) continue;
    found.hasSeries = true;
    for (const [, label] of braces.matchAll(/([a-z_]+)="/g)) found.labels.add(label!);
  }
  return told;
}
