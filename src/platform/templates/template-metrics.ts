import { Counter, type Registry } from 'prom-client';
import type { Rendered } from './templates.ts';

export function createTemplateMetrics(registry: Registry) {
  const rendered = new Counter({
    name: 'fairlead_templates_rendered_total',
    help: 'Templates rendered or checked, by result: ok or the error code.',
    labelNames: ['result'],
    registers: [registry],
  });
  const seconds = new Counter({
    name: 'fairlead_template_worker_seconds_total',
    help: 'Time that workers spent rendering templates.',
    registers: [registry],
  });
  const stops = new Counter({
    name: 'fairlead_template_workers_stopped_total',
    help: 'Workers stopped because a template used too much time or memory.',
    registers: [registry],
  });
  return {
    answered(results: readonly Rendered[], milliseconds: number): void {
      seconds.inc(milliseconds / 1000);
      let fine = 0;
      for (const { fault } of results) {
        if (fault) rendered.inc({ result: fault.code });
        else fine++;
      }
      if (fine) rendered.inc({ result: 'ok' }, fine);
    },
    stopped(milliseconds: number): void {
      seconds.inc(milliseconds / 1000);
      stops.inc();
    },
  };
}
