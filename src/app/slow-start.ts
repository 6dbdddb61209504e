/** Reports the progress of a slow start, because an operator may be waiting. */

const FIRST_AFTER_MS = 4_000;
const AGAIN_AFTER_MS = 15_000;

export interface SlowStart {
  /** @param doing the current stage, as in "Still starting: …" */
  stage(doing: string): void;
  /** Stops reporting. */
  end(): void;
}

/** @param report called with a line after 4 s, then every 15 s, until the end */
export function watchStart(report: (line: string) => void): SlowStart {
  const startedAt = performance.now();
  let doing = '';
  const say = (): void => {
    report(`Still starting, for ${Math.round((performance.now() - startedAt) / 1000)} s: ${doing} …`);
    timer = setTimeout(say, AGAIN_AFTER_MS).unref();
  };
  let timer = setTimeout(say, FIRST_AFTER_MS).unref();
  return {
    stage: (next) => void (doing = next),
    end: () => clearTimeout(timer),
  };
}
