/** A start that takes long says what it is busy with: somebody waits in front of it. */

const FIRST_AFTER_MS = 4_000;
const AGAIN_AFTER_MS = 15_000;

export interface SlowStart {
  /** @param doing what the start is busy with from now on, as in "Still starting: …" */
  stage(doing: string): void;
  /** Stops reporting. */
  end(): void;
}

/** @param report is given a line after 4 s, then every 15 s, until the end. */
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
