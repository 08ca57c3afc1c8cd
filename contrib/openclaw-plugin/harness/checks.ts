/** Runs checks one after the other and tells how each went. */

const SHOWN = 3_000; // characters of what went wrong

export class Checks {
  #failed = 0;
  #done = 0;

  /** One item: prints it with what it saw; a failure is told and counted, and the rest goes on. */
  async item(name: string, look: () => Promise<string>): Promise<void> {
    const started = performance.now();
    let verdict = "✓";
    let saw: string;
    try {
      saw = await look();
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

/** The one line that matters of a longer output. */
export function lineWith(text: string, pattern: RegExp): string {
  const line = text.split("\n").find((one) => pattern.test(one));
  expect(line !== undefined, `nothing matches ${pattern} in:\n${text.slice(-1_500)}`);
  return line.trim();
}

/** Looks again and again until it is so, or this many seconds have passed; tells which. */
export async function until(isSo: () => Promise<boolean>, seconds: number): Promise<boolean> {
  const end = performance.now() + seconds * 1_000;
  while (!(await isSo())) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return true;
}
