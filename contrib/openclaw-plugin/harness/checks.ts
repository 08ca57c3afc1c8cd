/** Runs checks one after the other and prints their results. */

const SHOWN = 3_000; // characters of an error message

export class Checks {
  #failed = 0;
  #done = 0;

  /** Runs one check and prints its result; after a failure the other checks still run. */
  async item(name: string, check: () => Promise<string>): Promise<void> {
    const started = performance.now();
    let verdict = "✓";
    let saw: string;
    try {
      saw = await check();
    } catch (reason) {
      verdict = "✗";
      saw = (reason instanceof Error ? reason.message : String(reason)).slice(0, SHOWN);
      this.#failed++;
    }
    this.#done++;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `${verdict} ${name} (${seconds} s)${saw ? `\n    ${saw.trim().replaceAll("\n", "\n    ")}` : ""}`,
    );
  }

  /** The exit code. */
  end(): number {
    console.log(`\n${this.#done - this.#failed} of ${this.#done} checks passed.`);
    return this.#failed > 0 ? 1 : 0;
  }
}

export function expect(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}

/** The first line of an output that matches. */
export function lineWith(text: string, pattern: RegExp): string {
  const line = text.split("\n").find((one) => pattern.test(one));
  expect(line !== undefined, `nothing matches ${pattern} in:\n${text.slice(-1_500)}`);
  return line.trim();
}

/** Polls until the condition holds; false if this many seconds have passed before. */
export async function waitUntil(holds: () => Promise<boolean>, seconds: number): Promise<boolean> {
  const end = performance.now() + seconds * 1_000;
  while (!(await holds())) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return true;
}
